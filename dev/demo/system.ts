/** Which system the demo buys from: the one that `npm start` runs here, or with `--containers` one that runs anywhere. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { adminToken, httpUrl, readConfig } from '@offer-ads/platform/config/config';
import { z } from 'zod';
import type { DemoOrganisation } from '../demo-data/organisations.ts';
import { provideDemoData } from '../demo-data.ts';
import { devFolder } from '../start/folder.ts';
import { readAdminSettings, readState } from '../start/state.ts';

export type DemoSystem = {
  readonly gateway: string;
  readonly mailbox: string;
  readonly organisations: readonly DemoOrganisation[];
  /** As the admin tool reads them. */
  readonly admin: Readonly<Record<string, string>>;
};

/** Defaults are where docker-compose.yml has them. */
export const containerSettings = z.object({
  GATEWAY_ADMIN_URL: httpUrl.default('http://localhost:8080'),
  BILLING_ADMIN_URL: httpUrl.default('http://localhost:8081'),
  OFFERS_ADMIN_URL: httpUrl.default('http://localhost:8082'),
  PRICING_ADMIN_URL: httpUrl.default('http://localhost:8083'),
  MAILBOX_URL: httpUrl.default('http://localhost:8025'),
  ADMIN_TOKEN: adminToken,
});

export async function findSystem(inContainers: boolean): Promise<DemoSystem> {
  if (inContainers) return systemInContainers(process.env);
  const [state, admin] = [readState(), readAdminSettings()];
  if (!state || !admin) throw new Error('Nothing runs here. Start the system first: npm start');
  return { ...state, admin };
}

/** Filled with demo data the first time. */
async function systemInContainers(env: NodeJS.ProcessEnv): Promise<DemoSystem> {
  const { MAILBOX_URL: mailbox, ...admin } = readConfig(containerSettings, env);
  const gateway = admin.GATEWAY_ADMIN_URL;
  const folder = join(devFolder, 'containers');
  const provide = () => provideDemoData(admin, console.log, folder);
  let organisations = await provide();
  if (!(await knows(gateway, organisations))) {
    console.log('The containers have been made anew since.');
    rmSync(folder, { recursive: true });
    organisations = await provide();
  }
  return { gateway, mailbox, organisations, admin };
}

/** Keys are kept here, and whom they belong to in the containers' volumes. */
async function knows(gateway: string, [first]: readonly DemoOrganisation[]): Promise<boolean> {
  const headers = { 'x-api-key': first?.keys.TEST ?? '' };
  return (await fetch(`${gateway}/categories`, { headers })).status !== 401;
}
