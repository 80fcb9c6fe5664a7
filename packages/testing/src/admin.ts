/** The admin credential of services under test: that of the console, so that tests can call for any person. */
import { type AdminGuard, adminGuard, consoleName } from '@offer-ads/platform/admin/routes';
import { entryOf } from '@offer-ads/platform/admin/tokens';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from './logger.ts';

export const adminToken = 'an-admin-credential-that-only-tests-use-0123456789';
/** The setting of a service that accepts it. */
export const adminTokenHashes: string = entryOf(consoleName, adminToken);

/** For routes that are tested without their service. Nothing is stored in an audit log. */
export function testAdminGuard(logger: Logger = silentLogger): AdminGuard {
  return adminGuard({ tokenHashes: adminTokenHashes, logger, metrics: createMetrics('test'), audit: null });
}
