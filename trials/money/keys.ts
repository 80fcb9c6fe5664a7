/** Idempotency-Keys and the forms that they stand for. */
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import type { Chance } from '@offer-ads/testing/random';

/** An Idempotency-Key, its form, and every successful answer to it. */
export type KeyOnRecord = {
  readonly key: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly successes: Set<string>;
};

const MINUTE_MS = 60_000;

export function newKey(chance: Chance, now: Date): KeyOnRecord {
  const startMs = now.getTime() + chance.oneOf([-59_999, -1, 0, 777, MINUTE_MS, 10 * MINUTE_MS]);
  const durationMs = chance.oneOf([
    MINUTE_MS,
    61_001,
    5 * MINUTE_MS + 7,
    30 * MINUTE_MS,
    120 * MINUTE_MS + 13,
  ]);
  return {
    key: `key-${now.getTime()}-${chance.below(1e9)}`,
    fields: {
      category_id: '1',
      title: 'Two for one',
      description: 'Two coffees for the price of one',
      url: 'https://cafe.example/two-for-one',
      'location[]': ['51.5074', '-0.1278'],
      // The price depends on it: an offer with 30 costs nothing.
      radius: `${chance.oneOf([5, 7, 11, 13, 17, 23, 29, 30])}`,
      start_datetime: new Date(startMs).toISOString(),
      expiry_datetime: new Date(startMs + durationMs).toISOString(),
      payment_method: chance.oneOf(['B', 'E']),
      environment: 'TEST',
    },
    successes: new Set(),
  };
}

const picture = photographLikeJpeg({ width: 64, height: 64 });

export async function formOf(fields: KeyOnRecord['fields']): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const text of [value].flat()) form.append(name, text);
  form.append('image', new Blob([new Uint8Array(await picture)]), 'picture.jpg');
  return form;
}
