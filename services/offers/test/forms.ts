/** Forms of POST /offers: a valid one, and ways to change it. */
import { randomUUID } from 'node:crypto';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Answer, CallOptions, OffersUnderTest } from './offers-under-test.ts';

/** Undefined leaves a part out; a list repeats it. */
export type Parts = Record<string, string | readonly string[] | undefined>;
export type CreateOptions = CallOptions & { readonly key?: string; readonly picture?: Buffer | null };

/** From an hour after the test clock's start, for ten hours. */
const usualParts: Parts = {
  category_id: '1',
  title: 'Two for one',
  description: 'Two coffees for the price of one',
  url: 'https://cafe.example/two-for-one',
  'location[]': ['51.5074', '-0.1278'],
  radius: '10',
  start_datetime: '2026-06-01T13:00:00Z',
  expiry_datetime: '2026-06-01T23:00:00Z',
  payment_method: 'B',
  environment: 'TEST',
};

/** From now on: Active as soon as it is paid. */
export const startingNow: Parts = { start_datetime: '2026-06-01T12:00:00Z' };
/** Paid by card. */
export const byCard: Parts = { payment_method: 'E' };
/** An offer of LIVE mode, and its caller. */
export const live = [{ environment: 'LIVE' }, { caller: { mode: 'LIVE' } }] as const;

/** Long, because a breaker that opened under too many creations at once lets the next one through after two seconds. */
const CREATED_WITHIN = { timeoutMs: 60_000 };

let usualPicture: Promise<Buffer> | undefined;

/** Exactly these parts; as they are, the form of an edit. */
export function formOf(parts: Parts, picture: Buffer | null = null): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts))
    for (const text of value === undefined ? [] : [value].flat()) data.append(name, text);
  if (picture !== null) data.append('image', new Blob([new Uint8Array(picture)]), 'picture.jpg');
  return data;
}

export async function form(parts: Parts = {}, picture?: Buffer | null): Promise<FormData> {
  usualPicture ??= photographLikeJpeg();
  return formOf({ ...usualParts, ...parts }, picture === undefined ? await usualPicture : picture);
}

export async function create(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CreateOptions = {},
): Promise<Answer> {
  return under.call('POST', '/offers', {
    body: await form(parts, o.picture),
    ...o,
    headers: { 'Idempotency-Key': o.key ?? randomUUID(), ...o.headers },
  });
}

/** An offer group at three places. */
export const threePlaces = [
  { latitude: 51.5136, longitude: -0.1365, label: 'Soho' },
  { latitude: 51.5055, longitude: -0.0754 },
  { latitude: 51.5416, longitude: -0.1433, label: 'Camden' },
];

export async function createGroup(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CreateOptions = {},
): Promise<Answer> {
  return under.call('POST', '/offer-groups', {
    body: await form({ 'location[]': undefined, places: JSON.stringify(threePlaces), ...parts }, o.picture),
    ...o,
    headers: { 'Idempotency-Key': o.key ?? randomUUID(), ...o.headers },
  });
}

/** Asks again with the same key after each 503: a busy machine may refuse any of many creations at once. */
export function createPatiently(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CreateOptions = {},
): Promise<Answer> {
  return createUnless([503], under, parts, o);
}

/**
 * The id of a new offer. Asks again after a 503 and a 409: where a test moves the clock, the sweeper may take a creation over.
 * @throws if the offer was refused
 */
export async function createdId(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CreateOptions = {},
): Promise<number> {
  const answer = await createUnless([409, 503], under, parts, o);
  const { offer_id: id } = answer.body as { offer_id?: number };
  if (answer.status !== 200 || id === undefined) throw new Error(notCreated(answer));
  return id;
}

function createUnless(
  statuses: readonly number[],
  under: OffersUnderTest,
  parts: Parts,
  o: CreateOptions,
): Promise<Answer> {
  const key = o.key ?? randomUUID();
  return eventually(async () => {
    const answer = await create(under, parts, { ...o, key });
    if (statuses.includes(answer.status)) throw new Error(notCreated(answer));
    return answer;
  }, CREATED_WITHIN);
}

function notCreated({ body }: Answer): string {
  return `not created: ${JSON.stringify(body)}`;
}

/** Puts copies of an offer straight into the store. */
export async function copyOffer({ postgres }: OffersUnderTest, id: number, count: number): Promise<void> {
  const [{ columns } = { columns: '' }] = await postgres.query<{ columns: string }>(
    `SELECT string_agg(column_name, ', ') AS columns FROM information_schema.columns
     WHERE table_name = 'offers' AND column_name <> 'offer_id'`,
  );
  await postgres.query(
    `INSERT INTO offers (${columns}) SELECT ${columns} FROM offers, generate_series(1, $2) WHERE offer_id = $1`,
    [id, count],
  );
}
