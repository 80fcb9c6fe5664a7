import { describe, expect, it } from '@jest/globals';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { type EndpointSecret, type Existing, isSigning, placeFor, rolledSecrets } from './endpoint.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const hour = 3_600_000;
const one = (slot: number, facts: Partial<Existing> = {}): Existing => ({
  url: `https://shop.example/${slot}`,
  slot,
  createdAt: now,
  ...facts,
});
const creation = { key: 'k', fingerprint: 'f' };

describe('a new endpoint', () => {
  it('takes the lowest free slot', () => {
    expect(placeFor([], { url: 'https://a.example/' }, now)).toEqual({ ok: true, slot: 0 });
    expect(placeFor([one(0), one(2)], { url: 'https://a.example/' }, now)).toEqual({ ok: true, slot: 1 });
  });

  it('is refused when the organisation has as many as it may have', () => {
    const all = Array.from({ length: webhookLimits.endpoints }, (_, slot) => one(slot));
    expect(placeFor(all.slice(1), { url: 'https://a.example/' }, now)).toEqual({ ok: true, slot: 0 });
    expect(placeFor(all, { url: 'https://a.example/' }, now)).toEqual({ ok: false, reason: 'too-many' });
  });

  it('is refused when there is one for the address', () => {
    expect(placeFor([one(0)], { url: one(0).url }, now)).toEqual({ ok: false, reason: 'url-taken' });
  });

  it('is the earlier one when the same request comes with the same key within a day', () => {
    const made = one(3, { creation });
    const again = { url: made.url, creation };
    expect(placeFor([made], again, later(24 * hour - 1))).toEqual({ ok: true, replayed: made });
    expect(placeFor([made], again, later(24 * hour))).toEqual({ ok: false, reason: 'url-taken' });
    expect(placeFor([made], { ...again, creation: { key: 'k', fingerprint: 'other' } }, now)).toEqual({
      ok: false,
      reason: 'key-reused',
    });
    const reused = { url: 'https://a.example/', creation: { key: 'k', fingerprint: 'other' } };
    expect(placeFor([made], reused, later(24 * hour))).toEqual({ ok: true, slot: 0 });
    expect(placeFor([one(0)], { url: 'https://a.example/' }, now)).toEqual({ ok: true, slot: 1 });
  });
});

describe('a secret that is rolled', () => {
  const first: EndpointSecret = { sealed: 'first' };

  it('signs for a day beside the new one', () => {
    const rolled = rolledSecrets([first], 'second', now)!;
    expect(rolled).toEqual([{ sealed: 'second' }, { sealed: 'first', until: later(24 * hour) }]);
    expect(rolled.map((secret) => isSigning(secret, later(24 * hour - 1)))).toEqual([true, true]);
    expect(rolled.map((secret) => isSigning(secret, later(24 * hour)))).toEqual([true, false]);
  });

  it('keeps its own end when another roll follows, and is dropped after it', () => {
    const twice = rolledSecrets(rolledSecrets([first], 'second', now)!, 'third', later(hour))!;
    expect(twice).toEqual([
      { sealed: 'third' },
      { sealed: 'second', until: later(25 * hour) },
      { sealed: 'first', until: later(24 * hour) },
    ]);
    expect(rolledSecrets(twice, 'fourth', later(24 * hour))!.map(({ sealed }) => sealed)).toEqual([
      'fourth',
      'third',
      'second',
    ]);
  });

  it('is not dropped before its end, however often it is rolled: then the roll is refused', () => {
    let secrets: readonly EndpointSecret[] = [first];
    for (let count = 2; count <= 5; count += 1) secrets = rolledSecrets(secrets, `${count}`, now)!;
    expect(secrets.at(-1)).toMatchObject(first);
    expect(rolledSecrets(secrets, '6', now)).toBeNull();
    expect(rolledSecrets(secrets, '6', later(24 * hour))).toHaveLength(2);
  });
});
