/** `.dev/state.json`: the facts of the running system, for tests, demos and outside checks (architecture page). */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import type { DemoData } from '../demo-data.ts';
import { devFolder } from './folder.ts';
import { readJson, writeJson } from './json-file.ts';
import { addressesOf, type Settings } from './plans.ts';
import type { Stores } from './stores.ts';

const stateFile = join(devFolder, 'state.json');
const adminFile = join(devFolder, 'admin.json');

export type DevState = {
  readonly gateway: string;
  readonly portal: string;
  readonly docs: string;
  /** The staff's console; people sign in by the sign-in simulator. */
  readonly console: string;
  readonly billing: string;
  readonly stripeSimulator: string;
  readonly ratesSimulator: string;
  readonly mailbox: string;
  readonly identitySimulator: string;
  /** The sample community page. */
  readonly community: string;
  readonly rabbitmq: string;
  readonly databases: Stores['databases'];
  readonly mongo: Stores['mongo'];
  readonly processes: Readonly<Record<(typeof serviceNames)[number], number>>;
} & DemoData;

export function writeState(state: DevState): void {
  writeJson(stateFile, state);
}

export function stateOf(
  { ports, stores }: Settings,
  o: DemoData & { readonly pids: Readonly<Record<string, number>> },
): DevState {
  const at = addressesOf(ports);
  return {
    gateway: at.gateway,
    portal: `${at.gateway}/portal`,
    docs: `${at.gateway}/docs`,
    console: at.console,
    billing: at.billing,
    stripeSimulator: at.stripe,
    ratesSimulator: at.rates,
    mailbox: at.mail,
    identitySimulator: at.identity,
    community: at.community,
    rabbitmq: stores.rabbitmq,
    databases: stores.databases,
    mongo: stores.mongo,
    processes: Object.fromEntries(
      serviceNames.map((name) => [name, o.pids[name] ?? 0]),
    ) as DevState['processes'],
    organisations: o.organisations,
    placementKeys: o.placementKeys,
  };
}

/** Undefined while no system is ready. */
export function readState(): DevState | undefined {
  return readJson(stateFile) as DevState | undefined;
}

/** The settings of the admin tool, by the names of its environment variables. */
export function writeAdminSettings(settings: Readonly<Record<string, string>>): void {
  writeJson(adminFile, settings);
}

export function readAdminSettings(): Readonly<Record<string, string>> | undefined {
  return readJson(adminFile) as Readonly<Record<string, string>> | undefined;
}

/** So that a stopped system does not look as if it ran. */
export function removeState(): void {
  rmSync(stateFile, { force: true });
  rmSync(adminFile, { force: true });
}
