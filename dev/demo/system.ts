/** The system that the demo uses: the one that `npm start` runs here, or with `--containers` any other. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { adminToken, httpUrl, readConfig } from '@offer-ads/platform/config/config';
import { z } from 'zod';
import type { DemoOrganisation } from '../demo-data/organisations.ts';
import { type DemoData, provideDemoData } from '../demo-data.ts';
import { devFolder } from '../start/folder.ts';
import { readAdminSettings, readState } from '../start/state.ts';

export type DemoSystem = DemoData & {
  readonly gateway: string;
  /** The sample community page; containers have none. */
  readonly community?: string;
  /** Settings in the names of the admin tool. */
  readonly admin: Readonly<Record<string, string>>;
};

/** Defaults are the addresses of docker-compose.yml. */
export const containerSettings = z.object({
  GATEWAY_URL: httpUrl.default('http://localhost:8080'),
  GATEWAY_ADMIN_URL: httpUrl.default('http://localhost:9080'),
  BILLING_ADMIN_URL: httpUrl.default('http://localhost:9081'),
  OFFERS_ADMIN_URL: httpUrl.default('http://localhost:9082'),
  PRICING_ADMIN_URL: httpUrl.default('http://localhost:9083'),
  ADMIN_TOKEN: adminToken,
});

export async function findSystem(inContainers: boolean): Promise<DemoSystem> {
  if (inContainers) return systemInContainers(process.env);
  const [state, admin] = [readState(), readAdminSettings()];
  if (!state || !admin) throw new Error('The system is not running. Start it first: npm start');
  return { ...state, admin };
}

/** Creates demo data at the first use. */
async function systemInContainers(env: NodeJS.ProcessEnv): Promise<DemoSystem> {
  const { GATEWAY_URL: gateway, ...admin } = readConfig(containerSettings, env);
  const folder = join(devFolder, 'containers');
  const provide = () => provideDemoData(admin, console.log, folder);
  let data = await provide();
  if (!(await knows(gateway, data.organisations))) {
    console.log('The containers were recreated, so the demo data is created again.');
    rmSync(folder, { recursive: true });
    data = await provide();
  }
  return { gateway, ...data, admin };
}

/** Keys are stored here, but their organisations are in the containers' volumes, which may have been deleted. */
async function knows(gateway: string, [first]: readonly DemoOrganisation[]): Promise<boolean> {
  const headers = { 'x-api-key': first?.keys.TEST ?? '' };
  return (await fetch(`${gateway}/categories`, { headers })).status !== 401;
}
