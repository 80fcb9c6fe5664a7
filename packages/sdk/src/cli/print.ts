/** Formats replies for people. */
import type {
  Analytics,
  AnalyticsSeries,
  Balance,
  Category,
  CreatedGroup,
  CreatedOffer,
  GroupChange,
  GroupEstimate,
  Interest,
  Offer,
  OfferChange,
  OfferGroup,
  OfferResults,
  OneOffer,
  PriceEstimate,
  Resent,
  Results,
  TestClock,
  Webhook,
  WebhookMessage,
  WebhookWithSecret,
} from '../types.ts';

type Row = readonly (string | number)[];

/** Columns are as wide as their widest cell; numbers are right-aligned. */
export function table(heads: readonly string[], rows: readonly Row[]): string {
  const cells = [heads, ...rows.map((row) => row.map(printed))];
  const widths = heads.map((_head, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const isNumber = heads.map((_head, column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const gap = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return isNumber[column] === true ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

/** One line per fact. */
export function facts(entries: readonly (readonly [string, string | number | null])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printed(value ?? '-')}\n`).join('');
}

/** Removes control characters, which a terminal would execute. */
export function printed(value: string | number): string {
  // oxlint-disable-next-line no-control-regex
  return String(value).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

const widthOf = (text: string): number => Array.from(text).length;

/** Exact to the minute, in UTC, like the times of offers. */
function minute(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? instant : `${date.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

export function categoriesText(categories: readonly Category[]): string {
  return table(
    ['ID', 'CATEGORY'],
    categories.map(({ category_id, category_name }) => [category_id, category_name]),
  );
}

export function interestsText(interests: readonly Interest[]): string {
  return table(
    ['ID', 'INTEREST'],
    interests.map(({ interest_id, interest_name }) => [interest_id, interest_name]),
  );
}

export function balanceText({ environment, balance, currency }: Balance): string {
  return facts([
    ['mode', environment],
    ['balance', `${balance.toFixed(2)} ${currency}`],
  ]);
}

export function estimateText(estimate: PriceEstimate, period: { start: string; end: string }): string {
  const { currency, estimated_cost: cost, quote_id: quote, quote_expiry_datetime: until } = estimate;
  return facts([
    [
      'cost, net of VAT',
      cost === null ? `${currency} cannot be billed at present` : `${cost.toFixed(2)} ${currency}`,
    ],
    ['users reached', estimate.matching_users],
    ['Ad Units', estimate.ad_units],
    ['price of an Ad Unit', estimate.ad_unit_price],
    ['rate per GBP', estimate.exchange_rate_per_gbp],
    ['rate of', estimate.exchange_rate_date],
    ...(quote === undefined
      ? []
      : ([
          ['start', period.start],
          ['end', period.end],
          ['quote', quote],
          ['quote valid until', until ?? null],
        ] as const)),
  ]);
}

export function createdText(offer: CreatedOffer, o: { idempotencyKey: string; replayed: boolean }): string {
  return facts([
    ['offer', offer.offer_id],
    ['status', o.replayed ? `${offer.status} (created before with this key)` : offer.status],
    ...(offer.payment_url === null ? [] : ([['to be paid at', offer.payment_url]] as const)),
    ['idempotency key', o.idempotencyKey],
  ]);
}

export function groupEstimateText({ currency, estimated_cost: cost, places }: GroupEstimate): string {
  const amount = (value: number | null) =>
    value === null ? `${currency} cannot be billed at present` : `${value.toFixed(2)} ${currency}`;
  return (
    table(
      ['PLACE', 'USERS REACHED', 'COST'],
      places.map(({ label, matching_users, estimated_cost }) => [
        label ?? '-',
        matching_users,
        amount(estimated_cost),
      ]),
    ) + facts([['cost of all, net of VAT', amount(cost)]])
  );
}

export function createdGroupText(
  group: CreatedGroup,
  o: { idempotencyKey: string; replayed: boolean },
): string {
  return (
    facts([
      ['group', o.replayed ? `${group.group_id} (created before with this key)` : group.group_id],
      ...(group.payment_url === null ? [] : ([['to be paid at', group.payment_url]] as const)),
      ['idempotency key', o.idempotencyKey],
    ]) +
    table(
      ['OFFER', 'STATUS', 'PLACE'],
      group.offers.map(({ offer_id, status, label }) => [offer_id, status, label ?? '-']),
    )
  );
}

export function groupText({
  group_id,
  title,
  currency,
  payment_url: url,
  offers,
  totals,
}: OfferGroup): string {
  return (
    facts([
      ['group', group_id],
      ['title', title],
      ...(url === null ? [] : ([['to be paid at', url]] as const)),
      ['running now', `${totals.live} of ${totals.offers}`],
      ['views', totals.views],
      ['clicks', totals.clicks],
      ['spent, net of VAT', `${totals.spent.toFixed(2)} ${currency}`],
    ]) +
    table(
      ['OFFER', 'STATUS', 'VIEWS', 'CLICKS', 'COST', 'PLACE'],
      offers.map((offer) => [
        offer.offer_id,
        statusOf(offer),
        offer.views,
        offer.clicks,
        offer.cost.toFixed(2),
        offer.label ?? `${offer.latitude},${offer.longitude}`,
      ]),
    )
  );
}

export function groupChangeText({ results }: GroupChange): string {
  return table(
    ['OFFER', 'OUTCOME'],
    results.map(({ offer_id, message }) => [offer_id, message]),
  );
}

export function offersText(offers: readonly Offer[]): string {
  if (offers.length === 0) return 'No offers.\n';
  return table(
    ['ID', 'STATUS', 'START', 'EXPIRY', 'MILES', 'TITLE'],
    offers.map((offer) => [
      offer.offer_id,
      statusOf(offer),
      minute(offer.start_datetime),
      minute(offer.expiry_datetime),
      offer.radius,
      offer.title,
    ]),
  );
}

const statusOf = ({ status, offer_status }: Pick<Offer, 'status' | 'offer_status'>): string =>
  status === 'disabled' ? `${offer_status} (disabled)` : offer_status;

export function offerText(offer: OneOffer): string {
  const { disabled_reason: reason, payment_url: paymentUrl } = offer;
  return facts([
    ['offer', offer.offer_id],
    ['title', offer.title],
    ['status', statusOf(offer)],
    ...(reason === null ? [] : ([['disabled because', reason]] as const)),
    ...(paymentUrl === null ? [] : ([['to be paid at', paymentUrl]] as const)),
    ['category', offer.category],
    ['url', offer.url],
    ['place', `${offer.radius} miles around ${offer.latitude},${offer.longitude}`],
    ['gender', offer.gender.join(', ') || 'all'],
    ['interests', offer.interests.map(({ interest_name }) => interest_name).join(', ') || 'all'],
    ['matching members', offer.matching_users],
    ['start', minute(offer.start_datetime)],
    ['expiry', minute(offer.expiry_datetime)],
    ['possible now', offer.actions.join(', ') || 'nothing'],
  ]);
}

export function analyticsText(analytics: Analytics): string {
  const { views, clicks } = analytics.metrics;
  return facts([
    ['offer', `${analytics.offer_id} (${analytics.status})`],
    ['from', minute(analytics.start_datetime)],
    ['to', minute(analytics.end_datetime)],
    ['views', views],
    ['clicks', clicks],
    ['click rate', views === 0 ? '-' : `${((100 * clicks) / views).toFixed(1)} %`],
  ]);
}

export function offerResultsText(results: OfferResults): string {
  const { currency, bought_seconds: bought, ran_seconds: ran } = results;
  const amount = (value: number | null) => (value === null ? null : `${value.toFixed(2)} ${currency}`);
  return facts([
    ['offer', `${results.offer_id} (${results.status})`],
    ['matching members', results.matching_users],
    ['cost, net of VAT', amount(results.cost)],
    ['spent', amount(results.spent)],
    ['views', results.views],
    ['clicks', results.clicks],
    ['cost per click', amount(results.cost_per_click)],
    ['cost per 1,000 views', amount(results.cost_per_thousand_views)],
    ['hours run', `${hours(ran)} of ${hours(bought)}, ${Math.floor((100 * ran) / bought)} %`],
  ]);
}

const hours = (seconds: number) => (seconds / 3_600).toFixed(1);

export function resultsText({ current, before, currency, best_offers: best, ...period }: Results): string {
  const spent = ({ spent }: Results['current']) => (spent === null ? '-' : `${spent.toFixed(2)} ${currency}`);
  const sums = table(
    ['', 'VIEWS', 'CLICKS', 'SPENT'],
    [
      [
        `${minute(period.start_datetime)} to ${minute(period.end_datetime)}`,
        current.views,
        current.clicks,
        spent(current),
      ],
      ['the same time before', before.views, before.clicks, spent(before)],
    ],
  );
  if (best.length === 0) return sums;
  const rows = best.map(({ offer_id, views, clicks, title }) => [offer_id, views, clicks, title]);
  return sums + table(['OFFER', 'VIEWS', 'CLICKS', 'TITLE'], rows);
}

export function changesText(changes: readonly OfferChange[]): string {
  return table(
    ['TIME', 'WHAT', 'BY', ''],
    changes.map(({ changed_datetime, what, by, fields, following_offer_id: following }) => [
      minute(changed_datetime),
      what,
      by,
      following === null ? fields.join(', ') : `by offer ${following}`,
    ]),
  );
}

export function seriesText({ points }: Pick<AnalyticsSeries, 'points'>): string {
  return table(
    ['FROM', 'VIEWS', 'CLICKS'],
    points.map(({ start_datetime, views, clicks }) => [minute(start_datetime), views, clicks]),
  );
}

export function testClockText({ now, offset_seconds, status }: TestClock): string {
  return facts([
    ['now', now],
    ['seconds ahead', offset_seconds],
    ['status', status],
  ]);
}

export function webhooksText(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) return 'No webhooks.\n';
  return table(
    ['ID', 'STATUS', 'URL', 'EVENTS'],
    webhooks.map((webhook) => [
      webhook.webhook_id,
      webhookStatus(webhook),
      webhook.url,
      webhook.event_types?.join(' ') ?? 'all',
    ]),
  );
}

export function webhookText(webhook: Webhook | WebhookWithSecret): string {
  return facts([
    ['webhook', webhook.webhook_id],
    ['status', webhookStatus(webhook)],
    ['url', webhook.url],
    ['events', webhook.event_types?.join(' ') ?? 'all'],
    ...(webhook.public_key === null ? [] : ([['public key', webhook.public_key]] as const)),
    ...('secret' in webhook ? ([['secret, shown this once', webhook.secret]] as const) : []),
    ...(webhook.previous_secret_expiry_datetime === null
      ? []
      : ([['the old secret also signs until', webhook.previous_secret_expiry_datetime]] as const)),
  ]);
}

function webhookStatus({
  status,
  disabled_reason: reason,
  failing_since_datetime: failing,
}: Webhook): string {
  if (reason !== null) return `${status} (${reason})`;
  return failing === null ? status : `${status} (failing)`;
}

export function messagesText(messages: readonly WebhookMessage[]): string {
  if (messages.length === 0) return 'No messages.\n';
  return table(
    ['ID', 'EVENT', 'STATUS', 'CREATED', 'ATTEMPTS', 'LAST ANSWER'],
    messages.map(({ message_id, event_type, status, creation_datetime, attempts }) => {
      const last = attempts.at(-1);
      const answer = last?.http_status ?? last?.problem ?? '-';
      return [message_id, event_type, status, minute(creation_datetime), attempts.length, String(answer)];
    }),
  );
}

export function messageText({ message_id, event_type, status }: WebhookMessage, webhookId: string): string {
  return (
    facts([
      ['message', message_id],
      ['event', event_type],
      ['status', status],
    ]) + `The answer: offer-ads webhooks messages ${printed(webhookId)}\n`
  );
}

export function resentText({ resent, next_since: next }: Resent, webhookId: string): string {
  const told = `${printed(resent)} ${resent === 1 ? 'message is' : 'messages are'} sent again.\n`;
  if (next === null) return told;
  return `${told}There are more: offer-ads webhooks resend-since ${printed(webhookId)} ${printed(next)}\n`;
}
