/** The admin credential of services under test: that of the console, so that tests can call for any person. */
import { type AdminGuard, adminGuard, consoleName } from '@offer-ads/platform/admin/routes';
import { entryOf } from '@offer-ads/platform/admin/tokens';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from './logger.ts';

export const adminToken = 'an-admin-credential-that-only-tests-use-0123456789';
/** The setting of a service that accepts it. */
export const adminTokenHashes: string = entryOf(consoleName, adminToken);

/**
 * What of the admin routes and metrics can be reached at the public port: each path as it is, in capitals, with a doubled slash and with an
 * escaped letter, all with the admin credential. Throws when a path is not at the admin port.
 */
export async function adminRoutesAtPublicPort(
  service: { readonly url: string; readonly adminUrl: string },
  ...paths: readonly string[]
): Promise<string[]> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const statusOf = async (url: string) => {
    const reply = await fetch(url, { headers, redirect: 'manual' });
    await reply.arrayBuffer();
    return reply.status;
  };
  const reached: string[] = [];
  for (const path of ['/metrics', ...paths]) {
    if ((await statusOf(service.adminUrl + path)) === 404)
      throw new Error(`${path} is not at the admin port`);
    for (const written of [path, path.toUpperCase(), `/${path}`, path.replace('m', '%6d')])
      if ((await statusOf(service.url + written)) !== 404) reached.push(written);
  }
  return reached;
}

/** For routes that are tested without their service. Nothing is stored in an audit log. */
export function testAdminGuard(logger: Logger = silentLogger): AdminGuard {
  return adminGuard({ tokenHashes: adminTokenHashes, logger, metrics: createMetrics('test'), audit: null });
}
