/** One request to each endpoint: the public API, what the portal reads, and what the platform team reads. */
import { createHash } from 'node:crypto';
import { type Advertiser, hourMs, inFuture, london, offerForm } from '../../harness/advertiser.ts';
import type { System } from '../../harness/system.ts';
import type { Visitor } from '../../harness/visitor.ts';

/** An organisation whose requests are timed. */
export type Caller = {
  readonly organisationId: number;
  readonly adminEmail: string;
  readonly advertiser: Advertiser;
  readonly visitor: Visitor;
  /** Its filled offer that still runs. */
  readonly runningOfferId: number;
};

/**
 * The organisation with the most offers. `from`: an instant at which one tenth of them was created. Its browsers take turns, so that no address
 * asks more often than it may.
 */
export type LargestCaller = Pick<Caller, 'advertiser'> & {
  readonly browsers: readonly Visitor[];
  readonly from: Date;
};

export type Callers = {
  readonly system: Pick<System, 'callAdmin'>;
  readonly usual: readonly Caller[];
  readonly largest: LargestCaller;
};

/** Takes the time of a request under the name of its endpoint. */
export type Timed = <T>(endpoint: string, ask: () => Promise<T>) => Promise<T>;

/** Asks every endpoint once, in the name of another organisation in each turn. Throws when one refuses. */
export async function askAll(callers: Callers, turn: number, timed: Timed): Promise<void> {
  const caller = callers.usual[turn % callers.usual.length];
  if (caller === undefined) throw new Error('there is no organisation to ask for');
  await askPublicApi(caller, timed);
  await readLongLists(callers.largest, turn, timed);
  await readPortal(caller, timed);
  await readAsStaff(callers, caller, timed);
}

async function askPublicApi({ advertiser, runningOfferId }: Caller, timed: Timed): Promise<void> {
  const call = (endpoint: string, method: string, path: string) =>
    timed(endpoint, async () => accepted(await advertiser.request(method, path)));
  await call('GET /categories', 'GET', '/categories');
  await call('GET /interests', 'GET', '/interests');
  const place = { location: london, radius: 10, start_datetime: inFuture(0), end_datetime: inFuture(hourMs) };
  await timed('POST /offers/price-estimate', async () =>
    accepted(await advertiser.json('POST', '/offers/price-estimate', place)),
  );
  const form = await offerForm({ expiry_datetime: inFuture(24 * hourMs) });
  const created = await timed('POST /offers', async () => accepted(await advertiser.create(form)));
  const offer = `/offers/${created.body.offer_id}`;
  await call('POST /offers/:id/pause', 'POST', `${offer}/pause`);
  await call('POST /offers/:id/resume', 'POST', `${offer}/resume`);
  await call('GET /offers/:id/analytics', 'GET', `/offers/${runningOfferId}/analytics?interval=24h`);
  await call('GET /offers', 'GET', '/offers?environment=test');
  await call('DELETE /offers/:id', 'DELETE', offer);
}

/** Of the organisation with the most offers: pages at the beginning and far behind it. */
async function readLongLists(
  { advertiser, browsers, from }: LargestCaller,
  turn: number,
  timed: Timed,
): Promise<void> {
  const browser = browsers[turn % browsers.length];
  if (browser === undefined) throw new Error('the largest organisation has no browser');
  const before = `created_before=${from.toISOString()}`;
  for (const [endpoint, query] of [
    ['GET /offers, long list', ''],
    ['GET /offers, long list, far page', before],
    ['GET /offers, long list, active', 'offer_status=active'],
    ['GET /offers, long list, ended, far page', `offer_status=ended&${before}`],
  ] as const)
    await timed(endpoint, async () =>
      accepted(await advertiser.request('GET', `/offers?environment=test&limit=20&${query}`)),
    );
  for (const [endpoint, path] of [
    ['portal: offers, long', '/test/offers'],
    ['portal: offers, long, by views', '/test/offers?sort=most_views'],
    ['portal: offers, long, search', '/test/offers?search=coffees'],
    ['portal: offers, long, nothing found', '/test/offers?search=nothing'],
    ['portal: results, long', '/test/results?days=30'],
    ['portal: statement, long', '/test/billing/statement'],
    ['portal: statement, long, far page', `/test/billing/statement?to=${from.toISOString()}`],
    ['portal: calls, long', '/calls'],
  ] as const)
    await timed(endpoint, async () => accepted(await browser('GET', path)));
}

async function readPortal({ visitor, runningOfferId }: Caller, timed: Timed): Promise<void> {
  for (const [endpoint, path] of [
    ['portal: session', '/session'],
    ['portal: organisation', '/organisation'],
    ['portal: people', '/people'],
    ['portal: keys', '/keys'],
    ['portal: calls', '/calls'],
    ['portal: offers', '/test/offers'],
    ['portal: results', '/test/results'],
    ['portal: offer', `/test/offers/${runningOfferId}`],
    ['portal: credit', `/test/offers/${runningOfferId}/credit`],
    ['portal: series', `/test/offers/${runningOfferId}/analytics/series?interval=24h`],
    ['portal: balance', '/test/balance'],
    ['portal: statement', '/test/billing/statement'],
    ['portal: invoices', '/test/billing/invoices'],
  ] as const)
    await timed(endpoint, async () => accepted(await visitor('GET', path)));
}

async function readAsStaff(
  { system }: Pick<Callers, 'system'>,
  { organisationId, adminEmail, runningOfferId }: Caller,
  timed: Timed,
): Promise<void> {
  const book = `organisationId=${organisationId}&mode=TEST&currency=GBP`;
  const hash = createHash('sha256').update(bigEndian(runningOfferId)).digest('hex');
  for (const [endpoint, owner, path] of [
    ['staff: organisations', 'GATEWAY', '/admin/organisations'],
    [
      'staff: search for an address',
      'GATEWAY',
      `/admin/organisations?search=${encodeURIComponent(adminEmail)}`,
    ],
    ['staff: organisations waiting', 'GATEWAY', '/admin/organisations?approved=false'],
    ['staff: organisation', 'GATEWAY', `/admin/organisations/${organisationId}`],
    ['staff: people', 'GATEWAY', `/admin/organisations/${organisationId}/people`],
    ['staff: keys', 'GATEWAY', `/admin/organisations/${organisationId}/keys`],
    ['staff: calls', 'GATEWAY', `/admin/organisations/${organisationId}/calls`],
    ['staff: offers', 'OFFERS', `/admin/offers?organisationId=${organisationId}&mode=TEST`],
    ['staff: offer', 'OFFERS', `/admin/offers/${runningOfferId}`],
    ['staff: offers of a picture', 'OFFERS', `/admin/images/${hash}/offers`],
    ['staff: payments in offers', 'OFFERS', `/admin/payments?after=${runningOfferId - 100}&limit=100`],
    ['staff: payments in billing', 'BILLING', `/admin/payments?after=${runningOfferId - 100}&limit=100`],
    ['staff: balance', 'BILLING', `/admin/balances?${book}`],
    ['staff: statement', 'BILLING', `/admin/balances/statement?${book}`],
    ['staff: invoices', 'BILLING', `/admin/invoices?organisationId=${organisationId}&mode=TEST`],
    ['staff: card problems', 'BILLING', '/admin/card-problems'],
  ] as const)
    await timed(endpoint, () => system.callAdmin(owner, 'GET', path));
}

/** As Postgres' `int8send`: fills hash the picture of an offer from its id. */
function bigEndian(id: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(id));
  return bytes;
}

function accepted<R extends { readonly status: number; readonly body: unknown }>(reply: R): R {
  const code = (reply.body as { return_code?: string } | undefined)?.return_code ?? 'S';
  if (reply.status !== 200 || !code.startsWith('S'))
    throw new Error(`answered ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}
