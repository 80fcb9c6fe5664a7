/** Ports of one `.dev` folder: kept from start to start where they are free, because links in mails name them. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { claimPort, freePorts, isFree } from '@offer-ads/backing/free-port';
import { readJson, writeJson } from './json-file.ts';

/** The port at which advertisers expect the service. */
export const gatewayPort = 8080;
/** As in containers (deploy/compose): what people open stays where they have bookmarked it. */
const known: Partial<Ports> = {
  gateway: gatewayPort,
  billing: 8081,
  offers: 8082,
  console: 8090,
  community: 8091,
  identity: 8070,
  mail: 8025,
  stripe: 12_111,
};

const names = [
  ...(['gateway', 'offers', 'billing', 'pricing', 'moderation', 'notifier'] as const),
  ...([
    'gatewayAdmin',
    'offersAdmin',
    'billingAdmin',
    'pricingAdmin',
    'moderationAdmin',
    'notifierAdmin',
  ] as const),
  ...(['stripe', 'rates', 'mail', 'smtp', 'identity', 'console', 'community'] as const),
] as const;
export type Ports = Readonly<Record<(typeof names)[number], number>>;

/** So that two starts at the same time do not both find these ports free. */
const claimOfKnown = join(tmpdir(), `offer-ads-port-${gatewayPort}`);

export async function choosePorts(folder: string): Promise<{ ports: Ports; release: () => void }> {
  const file = join(folder, 'ports.json');
  const kept = readJson(file) as Partial<Ports> | undefined;
  const isClaimed = await claimFolder(claimOfKnown).then(
    () => true,
    () => false,
  );
  const wanted: Partial<Ports> = { ...kept, ...(isClaimed && known) };
  const spare = await freePorts(names.length);
  const chosen = await Promise.all(
    names.map(async (name, index) => {
      const port = wanted[name];
      if (port === undefined || (!isClaimed && port === known[name])) return [name, spare[index]];
      return [name, (await claimPort(port)) && (await isFree(port)) ? port : spare[index]];
    }),
  );
  const ports = Object.fromEntries(chosen) as Ports;
  writeJson(file, ports);
  return { ports, release: () => isClaimed && releaseFolder(claimOfKnown) };
}
