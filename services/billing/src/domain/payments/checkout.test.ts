import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import {
  type Checkout,
  closed,
  closing,
  deletionRevoked,
  FOR_EVER,
  newCheckout,
  nextCheck,
  nextClosing,
  opened,
  paid,
  payerMeets,
  renewed,
  reopened,
  sessionExpired,
  sessionExpiry,
} from './checkout.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const days = (count: number) => minutes(count * 24 * 60);

const opening = newCheckout(days(10), now);
const open = opened(opening, { generation: 1, sessionId: 'cs_1', url: 'https://pay/1' });

describe('a session', () => {
  it('ends with its offer, or as near to that as Stripe’s limits allow', () => {
    expect(sessionExpiry(minutes(120), now)).toEqual(minutes(120));
    expect(sessionExpiry(minutes(5), now)).toEqual(minutes(31));
    expect(sessionExpiry(days(10), now)).toEqual(minutes(24 * 60 - 5));
  });

  it('expires at a whole second, and lives for 30 minutes to 24 hours, whatever the offer', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e11 }), fc.integer({ min: 0, max: 999 }), (lifeMs, offMs) => {
        const at = new Date(now.getTime() + offMs);
        const livesMs = sessionExpiry(new Date(at.getTime() + lifeMs), at).getTime() - at.getTime();
        expect(livesMs).toBeGreaterThan(30 * 60_000);
        expect(livesMs).toBeLessThan(24 * 60 * 60_000);
        expect((at.getTime() + livesMs) % 1_000).toBe(0);
      }),
    );
  });
});

describe('opening', () => {
  it('ends when Stripe has answered for this generation', () => {
    expect(open.state).toBe('open');
    expect(opened(opening, { generation: 2, sessionId: 'cs_2', url: null })).toBe(opening);
  });

  it('keeps the first answer', () => {
    expect(opened(open, { generation: 1, sessionId: 'cs_other', url: null })).toBe(open);
  });

  it('of a checkout that is being closed only stores the session’s id, so that it can be expired', () => {
    const known = opened(closing(opening), { generation: 1, sessionId: 'cs_1', url: null });
    expect(known).toMatchObject({ state: 'closing', session: { sessionId: 'cs_1' } });
  });
});

describe('a new generation', () => {
  it('begins only when the last session can certainly not be paid any more', () => {
    expect(renewed(open, now)).toBe(open);
    const next = renewed(sessionExpired(open, 1), now);
    expect(next).toMatchObject({
      state: 'opening',
      session: { generation: 2, sessionId: null, expired: false },
    });
  });

  it('is not changed by a late report about an earlier one', () => {
    const next = renewed(sessionExpired(open, 1), now);
    expect(sessionExpired(next, 1)).toBe(next);
  });

  it('never begins while the checkout is being closed', () => {
    const shutting = closing(sessionExpired(open, 1));
    expect(renewed(shutting, now)).toBe(shutting);
  });
});

describe('closing', () => {
  it('closes only after the session has expired', () => {
    expect(closed(closing(open)).state).toBe('closing');
    expect(closed(sessionExpired(closing(open), 1)).state).toBe('closed');
  });

  it('goes back to the former state when the result is uncertain', () => {
    expect(reopened(closing(open)).state).toBe('open');
    expect(reopened(closing(opening)).state).toBe('opening');
  });
});

describe('a deletion that is revoked', () => {
  const closedFor = (deletion: number) => closed(sessionExpired(closing(open, deletion), 1));

  it('opens the page again, whether it was closed or is being closed', () => {
    expect(deletionRevoked(closedFor(1), 1)).toMatchObject({ state: 'open', session: { expired: true } });
    expect(payerMeets(deletionRevoked(closedFor(1), 1), now)).toEqual({ kind: 'no-session', why: 'expired' });
    expect(renewed(deletionRevoked(closedFor(1), 1), now)).toMatchObject({ session: { generation: 2 } });
    expect(deletionRevoked(closing(open, 1), 1).state).toBe('open');
    expect(deletionRevoked(closing(opening, 1), 1).state).toBe('opening');
    expect(deletionRevoked(open, 1).state).toBe('open');
  });

  it('can no longer close the page, neither by a late request nor by one that is still running', () => {
    expect(closing(deletionRevoked(open, 1), 1).state).toBe('open');
    expect(closing(deletionRevoked(open, 2), 1).state).toBe('open');
    expect(closed(sessionExpired(deletionRevoked(closing(open, 1), 1), 1)).state).toBe('open');
  });

  it('changes nothing after a later deletion, even if that found the page closed', () => {
    const twice = closing(closedFor(1), 2);
    expect(deletionRevoked(twice, 1)).toBe(twice);
    expect(deletionRevoked(closing(open, 2), 1).state).toBe('closing');
    expect(closed(sessionExpired(closing(deletionRevoked(open, 1), 2), 1)).state).toBe('closed');
  });

  it('changes nothing after the offer has ended, its creation was dropped or it was paid', () => {
    const forEver = closed(sessionExpired(closing(open), 1));
    expect(deletionRevoked(forEver, FOR_EVER - 1)).toBe(forEver);
    expect(closed(sessionExpired(closing(deletionRevoked(open, 1)), 1)).state).toBe('closed');
    expect(deletionRevoked(paid(closing(open, 1), now), 1).state).toBe('paid');
    expect(deletionRevoked(paid(closedFor(1), now), 1).state).toBe('closed');
  });
});

describe('a payer who follows the link', () => {
  it.each([
    [open, now, { kind: 'session', url: 'https://pay/1' }],
    [open, days(1), { kind: 'no-session', why: 'expired' }],
    [opening, now, { kind: 'no-session', why: 'opening' }],
    [closing(open), now, { kind: 'closing' }],
    [closed(sessionExpired(open, 1)), days(10), { kind: 'ended' }],
  ])('with %j at %s meets %j', (checkout, at, met) => expect(payerMeets(checkout, at)).toEqual(met));
});

describe('a session without a webhook', () => {
  it('is asked about after five minutes, then ever less often, at least every hour', () => {
    expect(nextCheck(now, now, days(1))).toEqual(minutes(5));
    expect(nextCheck(minutes(20), now, days(1))).toEqual(minutes(40));
    expect(nextCheck(minutes(600), now, days(1))).toEqual(minutes(660));
  });

  it('is asked about just after its end', () => {
    expect(nextCheck(minutes(50), now, minutes(60))).toEqual(minutes(61));
    expect(nextCheck(minutes(61), now, minutes(60))).toEqual(minutes(121));
  });
});

describe('any order of steps', () => {
  type Step = (checkout: Checkout, at: Date) => Checkout;
  const generation = fc.integer({ min: 1, max: 4 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    generation.map(
      (generation): Step =>
        (c) =>
          opened(c, { generation, sessionId: `cs_${generation}`, url: 'u' }),
    ),
    generation.map(
      (generation): Step =>
        (c) =>
          sessionExpired(c, generation),
    ),
    fc.constant<Step>((c, at) => renewed(c, at)),
    fc.constant<Step>((c) => closing(c)),
    fc.integer({ min: 1, max: 3 }).map(
      (deletion): Step =>
        (c) =>
          closing(c, deletion),
    ),
    fc.integer({ min: 1, max: 3 }).map(
      (deletion): Step =>
        (c) =>
          deletionRevoked(c, deletion),
    ),
    fc.constant<Step>((c) => reopened(c)),
    fc.constant<Step>((c) => closed(c)),
    fc.constant<Step>((c, at) => paid(c, at)),
  );

  /** The rules that one step has broken. */
  function broken(before: Checkout, after: Checkout, at: Date): string[] {
    const isRevoked = before.paidAt === null && after.revoked && after.deletion >= before.deletion;
    const isFinal = (before.state === 'closed' && !isRevoked) || before.state === 'paid';
    const isNewGeneration = after.session.generation > before.session.generation;
    const faults = {
      'leave a final state': isFinal && after.state !== before.state,
      'forget the latest deletion': before.deletion > after.deletion,
      'close for a deletion that was revoked':
        after.revoked && (after.state === 'closing' || (after.state === 'closed' && after.paidAt === null)),
      'forget or change when it was paid': before.paidAt !== null && after.paidAt !== before.paidAt,
      'go back a generation': after.session.generation < before.session.generation,
      'open a session beside one that can be paid': isNewGeneration && !before.session.expired,
      'be open without a session': after.state === 'open' && after.session.sessionId === null,
      'give a session that cannot be paid':
        after.state !== 'open' && payerMeets(after, at).kind === 'session',
    };
    return Object.entries(faults)
      .filter(([, isBroken]) => isBroken)
      .map(([fault]) => fault);
  }

  it('leaves closed and paid checkouts so, and gives no session for them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let checkout = opening;
        for (const [index, take] of steps.entries()) {
          const before = checkout;
          checkout = take(before, minutes(index));
          expect(broken(before, checkout, minutes(index))).toEqual([]);
        }
      }),
    );
  });
});

it('a page that cannot be closed is tried again after 10, 20, 40 seconds and so on, then hourly', () => {
  const expiry = new Date('2026-06-10T12:00:00.000Z');
  const waits: number[] = [];
  for (let now = expiry; waits.length < 12; now = nextClosing(now, expiry)) {
    waits.push((nextClosing(now, expiry).getTime() - now.getTime()) / 1_000);
  }
  expect(waits).toEqual([10, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
});
