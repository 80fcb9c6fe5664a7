/** A filled store, and the organisations that ask for what is in it. */
import { randomUUID } from 'node:crypto';
import { provideOrganisation } from '@offer-ads/dev/demo-data';
import { sqlOf } from '@offer-ads/platform/postgres/postgres';
import { checkLedger } from '../../../services/billing/src/ledger/ledger-check-store.ts';
import { advertiser } from '../../harness/advertiser.ts';
import { query } from '../../harness/sql.ts';
import type { System } from '../../harness/system.ts';
import { signedIn, type Visitor } from '../../harness/visitor.ts';
import { fillCalls, fillOrganisations, fillTrade, type Trade } from './fill-store.ts';
import type { Caller, Callers } from './requests.ts';

export type StoreSize = {
  /** A tenth of them belongs to one organisation. */
  readonly offers: number;
  readonly organisations: number;
  /** Organisations that ask, beside the one with the most offers. */
  readonly callers: number;
};

export type FilledStore = {
  readonly callers: Callers;
  /** What a check of the ledger finds: all balances, the last transactions that were filled in, and all since then. */
  readonly ledgerProblems: () => Promise<readonly string[]>;
};

const minuteMs = 60_000;
/** Of the transactions that were filled in. All of them are checked in the small store of the system tests. */
const checkedOfFill = 10_000n;
/** Of the most that an address may sign in at once (decision 33, limits on sign-in links). */
const BROWSERS_OF_LARGEST = 4;

export async function prepareStore(
  system: System,
  size: StoreSize,
  say: (line: string) => void,
): Promise<FilledStore> {
  const { stores } = system;
  const largestShare = Math.floor(size.offers / 10);
  const offersEach = Math.max(1, Math.floor((size.offers - largestShare) / size.organisations));
  const startedAt = performance.now();
  const crowd = await fillOrganisations(system, size.organisations);
  const registered = [];
  for (let count = 0; count <= size.callers; count += 1) registered.push(await register(system));
  const [largest, ...usual] = registered;
  if (largest === undefined) throw new Error('no organisation was registered');
  const small = [...crowd, ...usual.map(({ id }) => id)];
  const trades: Trade[] = [
    { organisationId: largest.id, offers: largestShare },
    ...small.map((organisationId) => ({ organisationId, offers: offersEach })),
  ];
  const now = new Date();
  await fillTrade(system, trades, now);
  await fillCalls(system, small, 1);
  await fillCalls(system, [largest.id], largestShare);
  say(
    `  ${size.organisations} organisations and ${offersEach * small.length + largestShare} offers were filled in within ` +
      `${Math.round((performance.now() - startedAt) / 1_000)} s`,
  );

  const [newest] = await query<{ id: bigint }>(
    stores.databases.billing,
    'SELECT max(transaction_id) AS id FROM transactions',
  );
  const filledUpTo = newest?.id ?? 0n;
  const provenUpTo = filledUpTo > checkedOfFill ? filledUpTo - checkedOfFill : 0n;
  const on: Parameters<typeof checkLedger>[0] = {
    query: (statement, values) => query(stores.databases.billing, sqlOf(statement), values),
  };
  return {
    callers: {
      system,
      usual: await Promise.all(usual.map((organisation) => callerOf(system, organisation))),
      largest: {
        advertiser: advertiser(system, largest.keys.TEST),
        browsers: await signedInTimes(system, largest.adminEmail, BROWSERS_OF_LARGEST),
        from: new Date(now.getTime() - Math.floor((largestShare * 9) / 10) * minuteMs),
      },
    },
    ledgerProblems: async () => (await checkLedger(on, { provenUpTo })).problems,
  };
}

/** One after the other, because each link is looked for in the newest mail. */
async function signedInTimes(system: System, email: string, times: number): Promise<Visitor[]> {
  const browsers: Visitor[] = [];
  while (browsers.length < times) browsers.push(await signedIn(system, email));
  return browsers;
}

type Registered = Awaited<ReturnType<typeof register>>;

/** Without a balance: the first booking is filled in. */
function register({ callAdmin }: System) {
  return provideOrganisation(callAdmin, {
    name: 'Scales Ltd',
    tradingName: 'Scales',
    country: 'GB',
    currency: 'GBP',
    adminEmail: `admin-${randomUUID()}@scales.example`,
    acceptsTerms: true,
    balanceMinor: 0n,
  });
}

async function callerOf(system: System, { id, keys, adminEmail }: Registered): Promise<Caller> {
  const caller = advertiser(system, keys.TEST);
  const { body } = await caller.request('GET', '/offers?environment=test&limit=1');
  const [running] = body.data as unknown as readonly { offer_id: number }[];
  if (running === undefined) throw new Error(`organisation ${id} has no offers`);
  return {
    organisationId: id,
    adminEmail,
    advertiser: caller,
    visitor: await signedIn(system, adminEmail),
    runningOfferId: running.offer_id,
  };
}
