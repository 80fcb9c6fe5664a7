import { describe, expect, it } from '@jest/globals';
import { quoteId as quoteIdSchema } from '@offer-ads/contracts/values/primitives';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { createSeal } from '@offer-ads/platform/config/secrets';
import { callerContext } from '@offer-ads/testing/caller';
import { fc } from '@offer-ads/testing/profile';
import { priceOf } from './domain/price.ts';
import { openQuotes } from './quotes.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)] as const;
const receivedAt = new Date('2026-11-20T18:00:00Z');
const holder = { organisationId: 7, mode: 'LIVE', currency: 'USD' } as const;
const form = {
  startAt: new Date('2026-12-01T00:00:00Z'),
  endAt: new Date('2026-12-08T00:00:00Z'),
  target: { latitude: 51.5, longitude: -0.1, radiusMiles: 10, gender: [], interests: [2, 1] },
};
const exchangeRate = { perGbpE6: 1_326_310n, date: '2026-11-20' };
const price = priceOf({ durationMs: 604_800_000, matchingUsers: 1_649, exchangeRate });

const give = (secret: string) => openQuotes(secret).give({ form, price, holder, now: receivedAt })!.quoteId;

function redeem(quoteId: string, secret: string = first) {
  return openQuotes(secret).redeem({ quoteId, form, holder, receivedAt });
}

const unknown = { ok: false, reason: 'unknown' };

describe('a quote as text', () => {
  it('holds every figure of the price, on any replica', () => {
    expect(redeem(give(first))).toEqual({ ok: true, price });
    expect(price.money?.costMinor).toBe(367_43n);
  });

  it('is refused after any change of one character', () => {
    const quoteId = give(first);
    for (let at = 0; at < quoteId.length; at += 1) {
      const other = quoteId[at] === 'A' ? 'B' : 'A';
      const changed = quoteId.slice(0, at) + other + quoteId.slice(at + 1);
      expect([at, redeem(changed)]).toEqual([at, unknown]);
    }
  });

  it('is refused when it is cut off, longer, or no quote at all', () => {
    const quoteId = give(first);
    const [payload = '', mac = ''] = quoteId.split('.');
    const cut = Array.from({ length: quoteId.length }, (_, length) => quoteId.slice(0, length));
    const others = [`${quoteId}.`, `${quoteId}A`, `${quoteId}=`, `.${mac}`, `${payload}.`, '.', 'é', '{}'];
    for (const text of [...cut, ...others]) expect([text, redeem(text)]).toEqual([text, unknown]);
  });

  it('is nothing else that the same secret has signed', () => {
    const signed = signCallerContext(first, callerContext({ audience: 'pricing' }));
    expect(redeem(signed)).toEqual(unknown);
    // Without the purpose, and with a payload of another release.
    const seal = createSeal(first);
    const [payload = ''] = give(first).split('.');
    expect(redeem(`${payload}.${seal.sign(payload)}`)).toEqual(unknown);
    const other = Buffer.from('{"cost":"1"}').toString('base64url');
    expect(redeem(`${other}.${seal.sign(`quote\n${other}`)}`)).toEqual(unknown);
  });

  it('is accepted at each step of a rotation, and no longer once its secret is removed', () => {
    const steps = [first, `${first},${second}`, `${second},${first}`, second] as const;
    for (const [at, step] of steps.entries())
      for (const near of [at - 1, at, at + 1]) {
        const secret = steps[near];
        if (secret !== undefined) expect(redeem(give(secret), step)).toEqual({ ok: true, price });
      }
    expect(redeem(give(first), second)).toEqual(unknown);
  });

  it('is no longer than the contract allows, whatever it is for', () => {
    const latitude = fc.double({ min: -90, max: 90, noNaN: true });
    const longitude = fc.double({ min: -180, max: 180, noNaN: true });
    const exchangeRate = { perGbpE6: 10n ** 15n, date: '2026-11-20' };
    fc.assert(
      fc.property(latitude, longitude, (latitude, longitude) => {
        const interests = Array.from({ length: 512 }, (_, index) => 2 ** 31 - index);
        const gender = ['Non-binary', 'Female'] as const;
        const target = { latitude, longitude, radiusMiles: 30, gender, interests };
        const given = openQuotes(first).give({
          form: { startAt: new Date(8.64e15 - 1), endAt: new Date(8.64e15), target },
          price: priceOf({ durationMs: 8.64e15, matchingUsers: Number.MAX_SAFE_INTEGER, exchangeRate }),
          holder: { ...holder, organisationId: Number.MAX_SAFE_INTEGER },
          now: receivedAt,
        });
        expect(quoteIdSchema.safeParse(given?.quoteId).success).toBe(true);
      }),
    );
  });
});
