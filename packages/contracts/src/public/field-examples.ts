/**
 * Examples of fields by their names, so that all examples of a description tell of one offer, one webhook and one price. A field that may be
 * null has no example here when null is usual.
 */
const examples: Readonly<Record<string, unknown>> = {
  category: 'Food & Drink',
  category_id: 1,
  category_name: 'Food & Drink',
  interest_id: 1,
  interest_name: 'Live music',
  offer_id: 42,
  group_id: 7,
  label: 'Soho',
  title: 'Two for one',
  description: 'Bring a friend: the second main course is on the house.',
  url: 'https://example.com/two-for-one',
  terms_and_conditions: 'Not with other offers.',
  image: 'https://ads.example/images/42.png?expires=2064398400',
  gender: [],
  latitude: 51.5074,
  longitude: -0.1278,
  radius: 10,
  start_datetime: '2035-06-01T12:00:00.000Z',
  end_datetime: '2035-06-03T12:00:00.000Z',
  expiry_datetime: '2035-06-03T12:00:00.000Z',
  creation_datetime: '2035-05-20T09:30:00.000Z',
  booking_datetime: '2035-05-20T09:30:00.000Z',
  attempt_datetime: '2035-05-20T09:30:00.000Z',
  as_of_datetime: '2035-06-02T12:00:00.000Z',
  now: '2035-06-02T12:00:00.000Z',
  since: '2035-05-20T09:30:00.000Z',
  timestamp: '2035-05-20T09:30:00.000Z',
  payment_url: 'https://ads.example/pay/Rk3vT0wq',
  price_estimate: 168_816,
  ad_units: 168_816,
  matching_users: 3_517,
  ad_unit_price: 0.001,
  estimated_cost: 168.82,
  cost: 168.82,
  estimated_credit: 84.41,
  spent: 168.82,
  cost_per_click: 24.12,
  cost_per_thousand_views: 1_406.83,
  bought_seconds: 172_800,
  ran_seconds: 86_400,
  change_id: 99,
  changed_datetime: '2035-06-02T12:00:00.000Z',
  time_zone: 'Europe/London',
  currency: 'GBP',
  exchange_rate_per_gbp: 1,
  balance: 831.18,
  balance_after: 831.18,
  amount: -168.82,
  kind: 'offer-charge',
  cause: 'offer 42 charged',
  net_minor: '16882',
  vat_minor: '3376',
  balance_minor: '83118',
  amount_minor: '10000',
  threshold_minor: '90000',
  reason: 'The picture does not show what the offer sells.',
  views: 120,
  clicks: 7,
  bucket_seconds: 86_400,
  offset_seconds: 86_400,
  limit: 20,
  count: 1,
  has_more: false,
  actions: ['pay', 'edit', 'delete'],
  secret: 'whsec_nL2DkpEXC2CIkkLC9RqyOz6xKJIXXwmzXqZ3kC5c5qU=',
  message_id: 'msg_2b3QzmCQy1Nl5fVtVw1kQf',
  webhook_id: 'we_oqQ3SnVYgZ0HVhm1WcgS',
  event_type: 'offer.paid',
  duration_ms: 84,
  http_status: 204,
  resent: 3,
};

type Field = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  examples?: unknown[];
};

/** Adds them to every field and parameter of the document that has neither an example nor fixed values. Returns the document. */
export function withExamples<Document extends object>(document: Document): Document {
  for (const [name, part] of Object.entries(document) as [string, unknown][]) {
    if (typeof part !== 'object' || part === null) continue;
    if (name === 'properties')
      for (const field of Object.entries(part)) addExample(...(field as [string, Field]));
    const parameter = part as { readonly name?: string; readonly in?: string; readonly schema?: Field };
    if (parameter.in !== undefined && parameter.schema !== undefined)
      addExample(parameter.name ?? '', parameter.schema);
    withExamples(part);
  }
  return document;
}

function addExample(name: string, field: Field): void {
  const example = examples[name];
  if (example === undefined || field.examples !== undefined) return;
  if (field.enum !== undefined || field.const !== undefined || field.format === 'binary') return;
  if ([field.type].flat().some((type) => isOf(type, example))) field.examples = [example];
}

function isOf(type: string | undefined, example: unknown): boolean {
  if (type === 'integer') return Number.isInteger(example);
  return type === 'array' ? Array.isArray(example) : type === typeof example;
}
