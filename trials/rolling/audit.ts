/** After a round: whether everything that was answered is there, once, and nothing else. */
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { RETRY_DELAYS_MS } from '@offer-ads/platform/messaging/broker/broker';
import { brokerNames } from '@offer-ads/platform/messaging/broker/topology';
import { type Channel, connect } from 'amqplib';
import { mailsTo } from '../harness/simulators.ts';
import { query } from '../harness/sql.ts';
import type { System } from '../harness/system.ts';
import type { Advertiser } from './advertisers.ts';

const consumers = ['offers', 'billing', 'pricing', 'notifier'] as const satisfies readonly ServiceName[];

/** Everything that is still under way, one sentence each: the audit is for when there is nothing. */
export async function underWay({ stores }: System): Promise<string[]> {
  const waiting: string[] = [];
  for (const [service, url] of Object.entries(stores.databases)) {
    const [row] = await query<{ events: number }>(url, 'SELECT count(*)::int AS events FROM outbox');
    if (row !== undefined && row.events > 0) waiting.push(`${row.events} events in the outbox of ${service}`);
  }
  const names = brokerNames('');
  await onChannel(stores.rabbitmq, async (channel) => {
    for (const service of consumers)
      for (const queue of [
        names.queue(service),
        ...RETRY_DELAYS_MS.map((delayMs) => names.retry(service, delayMs)),
      ]) {
        const { messageCount } = await channel.checkQueue(queue);
        if (messageCount > 0) waiting.push(`${messageCount} messages in ${queue}`);
      }
  });
  return waiting;
}

/** Everything that is wrong, one sentence each. */
export async function audit(system: System, advertisers: readonly Advertiser[]): Promise<string[]> {
  const problems = await parkedIn(system);
  const ledger = await system.callAdmin<{ problems: string[] }>('BILLING', 'GET', '/admin/ledger/check');
  problems.push(...ledger.problems);
  for (const advertiser of advertisers) problems.push(...(await auditOne(system, advertiser)));
  return problems;
}

async function parkedIn({ stores }: System): Promise<string[]> {
  const names = brokerNames('');
  const problems: string[] = [];
  await onChannel(stores.rabbitmq, async (channel) => {
    for (const service of consumers) {
      const { messageCount } = await channel.checkQueue(names.parked(service));
      if (messageCount > 0) problems.push(`${messageCount} events of ${service} are parked`);
    }
  });
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

async function auditOne(system: System, advertiser: Advertiser): Promise<string[]> {
  const { stores, callAdmin } = system;
  const { organisationId } = advertiser;
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
  const mails = await mailsTo(system, advertiser.adminEmail);
  expect(
    new Set(mails.map(({ headers }) => headers['message-id'])).size === mails.length,
    `a mail to ${organisationId} came twice`,
  );

  let balanceMinor = advertiser.toppedUpMinor;
  for (const purchase of advertiser.purchases) {
    const { title, method } = purchase;
    const own = offers.filter((offer) => offer.title === title);
    const [offer] = own;
    const name = `offer ${purchase.offerId} (${method})`;
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
    const mailsOf = (kind: string) =>
      mails.filter(({ subject }) => subject.includes(kind) && subject.includes(title)).length;
    expect(mailsOf('Offer paid') === 1, `${name}: ${mailsOf('Offer paid')} mails that it is paid`);
    const links = method === 'E' ? 1 : 0;
    expect(mailsOf('Payment link') === links, `${name}: ${mailsOf('Payment link')} mails with its link`);
  }
  const titles = new Set(advertiser.purchases.map(({ title }) => title));
  for (const { offer_id: id, title } of offers) expect(titles.has(title), `nobody asked for offer ${id}`);
  const path = `/admin/balances?organisationId=${organisationId}&mode=TEST&currency=GBP`;
  const balance = await callAdmin<{ balanceMinor: string }>('BILLING', 'GET', path);
  expect(
    BigInt(balance.balanceMinor) === balanceMinor,
    `organisation ${organisationId} has ${balance.balanceMinor}, due ${balanceMinor}`,
  );
  return problems;
}

/** What came back for each offer, by the ledger's entries. */
async function creditsOf(url: string, organisationId: number): Promise<ReadonlyMap<number, bigint>> {
  const rows = await query<{ offer_id: bigint; credited_minor: bigint }>(
    url,
    `SELECT p.offer_id, coalesce(sum(amount_minor) FILTER (WHERE accounts.kind = 'prepaid-balance' AND amount_minor > 0), 0)::bigint
              AS credited_minor
       FROM offer_payments p LEFT JOIN transactions USING (offer_id) LEFT JOIN entries USING (transaction_id)
       LEFT JOIN accounts USING (account_id)
      WHERE p.organisation_id = $1 GROUP BY p.offer_id`,
    [organisationId],
  );
  return new Map(rows.map((row) => [Number(row.offer_id), row.credited_minor]));
}

async function onChannel(url: string, work: (channel: Channel) => Promise<void>): Promise<void> {
  const connection = await connect(url, { noDelay: true });
  try {
    await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}
