import { expect, it } from '@jest/globals';
import { heededUntil, isHeeded } from './bounce.ts';

const lastRefusedAt = new Date('2026-06-01T12:00:00.000Z');
const day = 24 * 3_600_000;
const bounce = { address: 'ann@cafe.example', refusals: 1, lastRefusedAt, problem: '550 5.1.1' };

it('an address is paused for a day, and for longer after each further refusal', () => {
  const days = [1, 2, 3, 4, 5, 50].map(
    (refusals) => (heededUntil({ ...bounce, refusals }).getTime() - lastRefusedAt.getTime()) / day,
  );
  expect(days).toEqual([1, 4, 16, 30, 30, 30]);
});

it('an address is tried again when its pause has ended', () => {
  expect(isHeeded(bounce, new Date(lastRefusedAt.getTime() + day - 1))).toBe(true);
  expect(isHeeded(bounce, new Date(lastRefusedAt.getTime() + day))).toBe(false);
});
