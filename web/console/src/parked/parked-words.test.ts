import { expect, it } from '@jest/globals';
import { parkedBecause } from './parked-words.ts';

const parkedAt = '2026-11-20T09:00:00.000Z';

it.each([
  [{ attempts: 5, parkedAt }, 'after 5 attempts that failed'],
  [{ attempts: 1, parkedAt }, 'after 1 attempt that failed'],
  [{ attempts: 0, parkedAt }, 'at once, because it cannot be read: another try would not help'],
  [
    { attempts: 0, parkedAt: null },
    'by the broker, because the service ended while it handled it, again and again',
  ],
])('an event with %j was parked %s', (message, words) => {
  expect(parkedBecause(message)).toBe(words);
});
