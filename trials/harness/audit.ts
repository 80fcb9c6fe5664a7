/** The audit of a system at rest: nothing is parked or unsound, and each purchase is on record exactly as it was answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import { allEvents } from '@offer-ads/contracts/events/events';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { RETRY_DELAYS_MS } from '@offer-ads/platform/messaging/broker/broker';
import { brokerNames, queuesOf } from '@offer-ads/platform/messaging/broker/topology';
import { connect } from 'amqplib';
import type { Buyer } from './load/buyers.ts';
import { mailsTo } from './simulators.ts';
import { query } from './sql.ts';
import type { System } from './system.ts';

type Audited = Pick<System, 'stores' | 'admin' | 'callAdmin' | 'state'>;

const consumers = ['offers', 'billing', 'pricing', 'notifier'] as const satisfies readonly ServiceName[];

/** Waits until no event is under way, then until nothing is wrong. Returns what is wrong at the end, one sentence each. */
export async function auditAtRest(
  system: Audited,
  o: { buyers?: readonly Buyer[]; withinMs?: number } = {},
): Promise<string[]> {
  const { buyers = [], withinMs = 60_000 } = o;
  const waiting = await untilEmpty(() => eventsUnderWay(system), withinMs);
  return waiting.length > 0 ? waiting : untilEmpty(() => audit(system, buyers), withinMs);
}

/** Events in an outbox, a queue or a delay queue, one sentence for each place. */
export async function eventsUnderWay({ stores }: Pick<Audited, 'stores'>): Promise<string[]> {
  const waiting: string[] = [];
  for (const [service, url] of Object.entries(stores.databases)) {
    const [row] = await query<{ events: number }>(url, 'SELECT count(*)::int AS events FROM outbox');
    if (row !== undefined && row.events > 0) waiting.push(`${row.events} events in the outbox of ${service}`);
  }
  const connection = await connect(stores.rabbitmq, { noDelay: true });
  try {
    const channel = await connection.createChannel();
    for (const service of consumers)
      for (const queue of queuesOfConsumer(service)) {
        const { messageCount } = await channel.checkQueue(queue);
        if (messageCount > 0) waiting.push(`${messageCount} messages in ${queue}`);
      }
  } finally {
    await connection.close();
  }
  return waiting;
}

function queuesOfConsumer(service: ServiceName): string[] {
  const names = brokerNames('');
  const kinds = queuesOf(service, allEvents);
  const retries = kinds.flatMap((kind) =>
    RETRY_DELAYS_MS.map((delayMs) => names.retry(service, kind, delayMs)),
  );
  return [...kinds.map((kind) => names.queue(service, kind)), ...retries];
}

async function audit(system: Audited, buyers: readonly Buyer[]): Promise<string[]> {
  type Parked = { parked: { service: string; event: string }[] };
  const { parked } = await system.admin<Parked>('events', 'parked');
  const ledger = await system.callAdmin<{ problems: string[] }>('BILLING', 'GET', '/admin/ledger/check');
  type Payments = { problems: { offerId: number; problem: string }[] };
  const payments = await system.admin<Payments>('payments', 'check');
  const problems = [
    ...parked.map((message) => `parked: ${JSON.stringify(message)}`),
    ...ledger.problems,
    ...payments.problems.map(({ offerId, problem }) => `offer ${offerId}: ${problem}`),
  ];
  for (const buyer of buyers) problems.push(...(await auditPurchases(system, buyer)));
  return problems;
}

type OfferRow = {
  offer_id: number;
  title: string;
  net_minor: bigint;
  is_shown: boolean;
  is_paid: boolean;
  is_deleted: boolean;
  views: number;
  clicks: number;
};

async function auditPurchases(system: Audited, buyer: Buyer): Promise<string[]> {
  const { stores, callAdmin } = system;
  const { organisationId } = buyer;
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => void (holds || problems.push(problem));
  const offers = await query<OfferRow>(
    stores.databases.offers,
    `SELECT offer_id, title, net_minor, shown_at IS NOT NULL AS is_shown, payment_applied_at IS NOT NULL AS is_paid,
            deleted_at IS NOT NULL AS is_deleted, coalesce(sum(views), 0)::int AS views, coalesce(sum(clicks), 0)::int AS clicks
       FROM offers LEFT JOIN traffic USING (offer_id) WHERE organisation_id = $1 GROUP BY offer_id`,
    [organisationId],
  );
  const credits = await creditsOf(stores.databases.billing, organisationId);
  const mails = await mailsTo(system, buyer.adminEmail);
  expect(
    new Set(mails.map(({ headers }) => headers['message-id'])).size === mails.length,
    `a mail to ${organisationId} came twice`,
  );

  let balanceMinor = buyer.toppedUpMinor;
  for (const purchase of buyer.purchases) {
    const { title, method } = purchase;
    const own = offers.filter((offer) => offer.title === title);
    const [offer] = own;
    const name = `offer ${purchase.offerId} (${method})`;
    // Its journey ended before anything was bought.
    if (purchase.offerId === undefined && own.length === 0) continue;
    expect(own.length === 1 && offer?.offer_id === purchase.offerId, `${name} is there ${own.length} times`);
    if (offer === undefined) continue;
    expect(offer.is_shown, `${name} is hidden`);
    expect(offer.is_paid === purchase.paid, `${name} is ${offer.is_paid ? '' : 'not '}paid`);
    expect(offer.is_deleted === purchase.deleted, `${name} is ${offer.is_deleted ? '' : 'not '}deleted`);
    expect(offer.views === purchase.views, `${name} has ${offer.views} of ${purchase.views} views`);
    expect(offer.clicks === purchase.clicks, `${name} has ${offer.clicks} of ${purchase.clicks} clicks`);
    const creditMinor = credits.get(offer.offer_id) ?? 0n;
    expect(creditMinor <= offer.net_minor, `${name} was credited more than its price`);
    expect(!purchase.deleted || creditMinor > 0n, `${name} was deleted and not credited`);
    if (method === 'B') balanceMinor -= offer.net_minor;
    balanceMinor += creditMinor;
    for (const [kind, due] of [
      ['Offer paid', 1],
      ['Payment link', method === 'E' ? 1 : 0],
    ] as const) {
      const sent = mails.filter(({ subject }) => subject.includes(kind) && subject.includes(title)).length;
      expect(sent === due, `${name}: ${sent} mails "${kind}", due ${due}`);
    }
  }
  const titles = new Set(buyer.purchases.map(({ title }) => title));
  for (const { offer_id: id, title } of offers) expect(titles.has(title), `nobody asked for offer ${id}`);
  const path = `/admin/balances?organisationId=${organisationId}&mode=TEST&currency=GBP`;
  const balance = await callAdmin<{ balanceMinor: string }>('BILLING', 'GET', path);
  expect(
    BigInt(balance.balanceMinor) === balanceMinor,
    `organisation ${organisationId} has ${balance.balanceMinor}, due ${balanceMinor}`,
  );
  return problems;
}

/** The credits of each offer, by the entries of the ledger. */
async function creditsOf(url: string, organisationId: number): Promise<ReadonlyMap<number, bigint>> {
  const rows = await query<{ offer_id: bigint; credited_minor: bigint }>(
    url,
    `SELECT p.offer_id, coalesce(sum(amount_minor) FILTER (WHERE accounts.kind = 'prepaid-balance' AND amount_minor > 0), 0)::bigint
              AS credited_minor
       FROM payments p LEFT JOIN transactions USING (offer_id) LEFT JOIN entries USING (transaction_id)
       LEFT JOIN accounts USING (account_id)
      WHERE p.organisation_id = $1 AND p.offer_id IS NOT NULL GROUP BY p.offer_id`,
    [organisationId],
  );
  return new Map(rows.map((row) => [Number(row.offer_id), row.credited_minor]));
}

/** Asks until nothing is named. Returns what is named at the end. */
async function untilEmpty(ask: () => Promise<string[]>, withinMs: number): Promise<string[]> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const named = await ask().catch((error: unknown) => [reasonOf(error)]);
    if (named.length === 0 || performance.now() > giveUpAt) return named;
    await pause(500);
  }
}
