/** Forms of POST /offers: a right one, and ways to spoil it. */
import { randomUUID } from 'node:crypto';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Answer, CallOptions, OffersUnderTest } from './offers-under-test.ts';

/** Undefined leaves a part out; a list repeats it. */
export type Parts = Record<string, string | readonly string[] | undefined>;

/** From an hour after the test clock's start, for ten hours. */
export const usualParts: Parts = {
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

/** Where a breaker has opened because too many came at once, it is two seconds until the next of them gets through. */
const CREATED_WITHIN = { timeoutMs: 60_000 };

let usualPicture: Promise<Buffer> | undefined;

export async function form(parts: Parts = {}, picture?: Buffer | null): Promise<FormData> {
  const data = new FormData();
  for (const [name, value] of Object.entries({ ...usualParts, ...parts })) {
    for (const text of value === undefined ? [] : [value].flat()) data.append(name, text);
  }
  if (picture === null) return data;
  usualPicture ??= photographLikeJpeg();
  data.append('image', new Blob([new Uint8Array(picture ?? (await usualPicture))]), 'picture.jpg');
  return data;
}

export async function create(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CallOptions & { key?: string; picture?: Buffer | null } = {},
): Promise<Answer> {
  return under.call('POST', '/offers', {
    body: await form(parts, o.picture),
    ...o,
    headers: { 'Idempotency-Key': o.key ?? randomUUID(), ...o.headers },
  });
}

/** For many at once, of which a machine may refuse any number: after each 503 the same key is asked again. */
export function createPatiently(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CallOptions & { key?: string; picture?: Buffer | null } = {},
): Promise<Answer> {
  const key = o.key ?? randomUUID();
  return eventually(async () => {
    const answer = await create(under, parts, { ...o, key });
    if (answer.status === 503) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
    return answer;
  }, CREATED_WITHIN);
}

/** The id of a new offer; fails when it was not created. */
export async function createdId(
  under: OffersUnderTest,
  parts: Parts = {},
  o: CallOptions & { key?: string; picture?: Buffer | null } = {},
): Promise<number> {
  const answer = await createPatiently(under, parts, o);
  const { offer_id: id } = answer.body as { offer_id?: number };
  if (answer.status !== 200 || id === undefined)
    throw new Error(`not created: ${JSON.stringify(answer.body)}`);
  return id;
}
