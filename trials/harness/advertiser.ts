/** An advertiser as the API sees one: a key, an address of its own, and the requests of the specification. */
import { randomInt, randomUUID } from 'node:crypto';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import type { System } from './system.ts';

/** The fields that any reply may have; a test compares those that its reply must have. */
export type AnyBody = {
  readonly return_code: string;
  readonly message: string;
  readonly offer_id: number;
  readonly payment_url: string;
  readonly data: readonly { readonly offer_status: string }[];
  readonly matching_users: number;
  readonly ad_units: number;
  readonly ad_unit_price: number;
  readonly estimated_cost: number;
  readonly quote_id: string;
  readonly exchange_rate_per_gbp: number;
  readonly exchange_rate_date: string;
};

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnyBody;
};

export type Advertiser = {
  readonly request: (method: string, path: string, o?: RequestInit) => Promise<Reply>;
  readonly json: (method: string, path: string, body: unknown) => Promise<Reply>;
  /** POST /offers with the form given; a fresh Idempotency-Key unless one is named (null sends none). */
  readonly create: (form: FormData, idempotencyKey?: string | null) => Promise<Reply>;
};

/** Without an address each request has a new one, so that a test that polls never meets the 60 requests a minute of an address. */
type CallsFrom = { readonly address?: string };

export function advertiser(
  system: Pick<System, 'state'>,
  key: string | undefined,
  { address }: CallsFrom = {},
): Advertiser {
  const request: Advertiser['request'] = (method, path, o = {}) =>
    patiently(async () => {
      const headers: Record<string, string> = { 'x-forwarded-for': address ?? unusedAddress() };
      if (key !== undefined) headers['x-api-key'] = key;
      Object.assign(headers, o.headers);
      const response = await fetch(`${system.state().gateway}${path}`, { ...o, method, headers });
      return { status: response.status, headers: response.headers, body: (await response.json()) as AnyBody };
    });
  return {
    request,
    json: (method, path, body) =>
      request(method, path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    create: (form, idempotencyKey = randomUUID()) =>
      request('POST', '/offers', {
        body: form,
        headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
      }),
  };
}

let lastAddress = randomInt(2 ** 24);

/** An address of 10.0.0.0/8 that no other request of this run has. */
export function unusedAddress(): string {
  lastAddress = (lastAddress + 1) % 2 ** 24;
  return `10.${lastAddress >> 16}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export function inFuture(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

/** Many demo members live in London, and none in the Atlantic. */
export const london = [51.5074, -0.1278] as const;
export const midAtlantic = [40, -40] as const;

let picture: Promise<Buffer> | undefined;

type Fields = Record<string, string | readonly string[] | Blob | undefined>;

/** A form that creates an offer in London for an hour from now; name only what matters to the test. */
export async function offerForm(changes: Fields = {}): Promise<FormData> {
  const fields: Fields = {
    category_id: '1',
    title: 'Two for one',
    description: 'Any two cocktails for the price of one.',
    url: 'https://crown.example/offer',
    image: new Blob([new Uint8Array(await (picture ??= photographLikeJpeg({ width: 1080, height: 1080 })))], {
      type: 'image/jpeg',
    }),
    'location[]': london.map(String),
    radius: '10',
    start_datetime: inFuture(0),
    expiry_datetime: inFuture(hourMs),
    payment_method: 'B',
    environment: 'TEST',
    ...changes,
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (value instanceof Blob) form.append(name, value, 'picture.jpg');
    else for (const one of typeof value === 'string' ? [value] : value) form.append(name, one);
  }
  return form;
}

export type Organisation = { readonly id: number; readonly key: string; readonly adminEmail: string };

/** A new organisation with its terms accepted, a thousand in the TEST balance and a TEST key. Accepting the terms takes a second. */
export async function newOrganisation(
  system: System,
  o: { country?: string; currency?: string; terms?: boolean; balance?: '0' } = {},
): Promise<Organisation> {
  const { country = 'GB', currency = 'GBP', terms = true } = o;
  const adminEmail = `admin-${randomUUID()}@advertiser.example`;
  const { id } = await system.admin<{ id: number }>(
    'org',
    'create',
    '--name=Crown Taverns Ltd',
    '--trading-name=The Crown',
    `--country=${country}`,
    `--currency=${currency}`,
    `--admin-email=${adminEmail}`,
  );
  const org = `--org=${id}`;
  const [{ key }] = await Promise.all([
    system.admin<{ key: string }>('key', 'create', org, '--mode=test'),
    terms && system.admin('terms', 'accept', org),
    o.balance !== '0' && topUp(system, id, 'test'),
  ]);
  return { id, key, adminEmail };
}

/** The demo organisation that is billed in a currency. */
export function demoOrganisation(system: System, currency: string): Organisation {
  const found = system.state().organisations.find((organisation) => organisation.currency === currency);
  if (found === undefined) throw new Error(`no demo organisation has ${currency}`);
  return { id: found.id, key: found.keys.TEST, adminEmail: found.adminEmail };
}

/** Adds a thousand. A repeated request adds nothing, because of its reference. */
export async function topUp(system: System, id: number, mode: 'test' | 'live'): Promise<void> {
  const payment = ['--amount=1000.00', `--reference=${randomUUID()}`];
  await system.admin('balance', 'top-up', `--org=${id}`, `--mode=${mode}`, ...payment);
}
