import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { fc } from '@offer-ads/testing/profile';
import { placementTokens, type Shown } from './tokens.ts';

const publicUrl = 'https://pictures.example';
const secret = 'a-secret-of-tokens-that-only-tests-use-0123';
const tokens = placementTokens({ secret, publicUrl });

const anyShown: fc.Arbitrary<Shown> = fc.record({
  mode: fc.constantFrom('LIVE', 'TEST'),
  offerId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  viewer: fc.option(fc.string({ minLength: 1, maxLength: 64, unit: 'binary' }), { nil: undefined }),
  shownAt: fc.date({ min: new Date('2026-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
});
const shown: Shown = {
  mode: 'LIVE',
  offerId: 7,
  viewer: 'ann of today',
  shownAt: new Date('2026-06-01T12:00:00Z'),
};
const after = (ms: number, from = shown.shownAt) => new Date(from.getTime() + ms);

/** Both tokens of an offer that was shown, each with its reading. */
function made(of: Shown = shown, by = tokens) {
  const { viewToken, clickUrl } = by.make(of);
  const clickToken = clickUrl.slice(`${publicUrl}/c/`.length);
  return [
    { token: viewToken, read: tokens.readView, other: tokens.readClick, kind: 'view' },
    { token: clickToken, read: tokens.readClick, other: tokens.readView, kind: 'click' },
  ] as const;
}

function eventOf(token: string, read: typeof tokens.readView, now = shown.shownAt) {
  const found = read(token, now);
  if (!found.ok) throw new Error(found.reason);
  return found.event;
}

describe('a token', () => {
  it('is read as what was shown, for a day', () => {
    fc.assert(
      fc.property(anyShown, fc.integer({ min: 1 - DAY_MS, max: DAY_MS - 1 }), (of, later) => {
        for (const { token, read, kind } of made(of)) {
          const { mode, offerId, shownAt: seenAt } = of;
          expect(read(token, after(later, of.shownAt))).toMatchObject({
            ok: true,
            mode,
            event: { kind, offerId, seenAt },
          });
        }
      }),
    );
  });

  it('is refused after a day, and a day before it was made', () => {
    for (const { token, read } of made())
      for (const ms of [DAY_MS, 2 * DAY_MS, -DAY_MS])
        expect(read(token, after(ms))).toEqual({ ok: false, reason: 'expired' });
  });

  it('with any changed, missing or added character is refused', () => {
    const character = fc.oneof(
      fc.constantFrom(...Array.from('ABab01-_.=+/ %\n')),
      fc.string({ minLength: 0, maxLength: 1 }),
    );
    fc.assert(
      fc.property(anyShown, fc.nat(), character, fc.boolean(), (of, position, replacement, isAdded) => {
        for (const { token, read } of made(of)) {
          const place = position % token.length;
          const changed = token.slice(0, place) + replacement + token.slice(isAdded ? place : place + 1);
          fc.pre(changed !== token);
          expect(read(changed, of.shownAt)).toEqual({ ok: false, reason: 'forged' });
        }
      }),
    );
  });

  it('of another purpose or another secret is refused, and so is what is no token', () => {
    const others = placementTokens({ secret: `${secret}-2`, publicUrl });
    for (const { token, other } of made())
      expect(other(token, shown.shownAt)).toEqual({ ok: false, reason: 'forged' });
    for (const { token, read } of made(shown, others))
      expect(read(token, shown.shownAt)).toEqual({ ok: false, reason: 'forged' });
    for (const text of ['', '.', '..', 'a', 'a.', '.a'])
      expect(tokens.readView(text, shown.shownAt)).toEqual({ ok: false, reason: 'forged' });
  });

  it('that an older secret has signed is read while the setting has that secret', () => {
    const newer = placementTokens({ secret: `${secret}-2,${secret}`, publicUrl });
    for (const { token, kind } of made()) {
      const read = kind === 'view' ? newer.readView : newer.readClick;
      expect(read(token, shown.shownAt)).toMatchObject({ ok: true });
    }
  });

  it('counts as one event at each reading, and as another than any other token', () => {
    const all = [...made(), ...made()];
    const ids = all.map(({ token, read }) => eventOf(token, read).eventId);
    expect(all.map(({ token, read }) => eventOf(token, read, after(1)).eventId)).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('has a viewer who is the same in all tokens of a pseudonym, and another for each pseudonym', () => {
    const viewerOf = (viewer: string | undefined, offerId = 7) => {
      const [view] = made({ ...shown, viewer, offerId });
      return eventOf(view.token, view.read).viewer;
    };
    expect(viewerOf('ann of today', 8)).toBe(viewerOf('ann of today'));
    expect(viewerOf('bob of today')).not.toBe(viewerOf('ann of today'));
    expect(viewerOf(undefined)).toBeUndefined();
  });

  it('tells nobody the pseudonym: it cannot be read, nor found by hashing what it may be', () => {
    const [view, click] = made();
    const stranger = placementTokens({ secret: 'a-guess-at-the-secret-0123456789-abcdef', publicUrl });
    const [guess] = made(shown, stranger);
    const bytesOf = ({ token }: { token: string }) => Buffer.from(token.split('.')[0] ?? '', 'base64url');
    for (const one of [view, click]) {
      expect(bytesOf(one).includes('ann')).toBe(false);
      expect(bytesOf(one).subarray(-16)).not.toEqual(bytesOf(guess).subarray(-16));
    }
  });
});
