import { describe, expect, it } from '@jest/globals';
import { countAttempts } from './attempts.ts';

const start = new Date('2026-11-20T09:00:00Z');
const later = new Date(start.getTime() + 10 * 60_000);
const tries = (from: string, count: number, attempts: ReturnType<typeof countAttempts>, at = start) =>
  Array.from({ length: count }, () => attempts.admit(from, at));

describe('attempts to sign in', () => {
  it('are ten in ten minutes for an address', () => {
    const attempts = countAttempts();
    expect(tries('10.0.0.1', 11, attempts)).toEqual([...Array<boolean>(10).fill(true), false]);
    expect(attempts.admit('10.0.0.2', start)).toBe(true);
    expect(attempts.admit('10.0.0.1', later)).toBe(true);
  });

  it('are a hundred over all addresses, and no more addresses are kept', () => {
    const attempts = countAttempts();
    for (let address = 0; address < 100; address += 1) attempts.admit(`10.0.1.${address}`, start);
    expect(attempts.admit('10.0.2.1', start)).toBe(false);
    expect(attempts.admit('10.0.2.1', later)).toBe(true);
  });

  it('that led to a sign-in count no longer', () => {
    const attempts = countAttempts();
    tries('10.0.0.1', 10, attempts);
    attempts.forget('10.0.0.1');
    expect(attempts.admit('10.0.0.1', start)).toBe(true);
  });
});
