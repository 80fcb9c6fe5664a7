import { describe, expect, it } from '@jest/globals';
import { type Attempts, countAttempts } from './attempts.ts';

const start = new Date('2026-11-20T09:00:00Z');
const later = new Date(start.getTime() + 10 * 60_000);
const ann = { name: 'ann', from: '10.0.0.1' };
const tries = (count: number, attempts: Attempts, who = ann) =>
  Array.from({ length: count }, () => attempts.admit(who, start));

describe('attempts to sign in', () => {
  it('are ten in ten minutes for a name at an address', () => {
    const attempts = countAttempts();
    expect(tries(11, attempts)).toEqual([...Array<boolean>(10).fill(true), false]);
    expect(attempts.admit(ann, later)).toBe(true);
  });

  it('of one person, or with made-up names, do not count against colleagues at the same address', () => {
    const attempts = countAttempts();
    tries(100, attempts);
    for (let made = 0; made < 1_000; made += 1) attempts.admit({ ...ann, name: `made-up-${made}` }, start);
    expect(attempts.admit({ ...ann, name: 'bo' }, start)).toBe(true);
    expect(attempts.admit(ann, start)).toBe(false);
  });

  it('of one person are counted separately for each address', () => {
    const attempts = countAttempts();
    tries(10, attempts);
    expect(attempts.admit({ ...ann, from: '10.0.0.2' }, start)).toBe(true);
  });

  it('are counted for 10,000 names at most; the oldest count is deleted first', () => {
    const attempts = countAttempts();
    tries(10, attempts);
    for (let made = 0; made < 9_999; made += 1) attempts.admit({ ...ann, name: `made-up-${made}` }, start);
    expect(attempts.admit(ann, start)).toBe(false);
    attempts.admit({ ...ann, name: 'one-more' }, start);
    expect(attempts.admit(ann, start)).toBe(true);
  });

  it('that begin a new window count from then, so they are not the oldest', () => {
    const attempts = countAttempts();
    attempts.admit(ann, start);
    for (let made = 0; made < 9_999; made += 1) attempts.admit({ ...ann, name: `made-up-${made}` }, start);
    for (let made = 0; made < 10; made += 1) attempts.admit(ann, later);
    attempts.admit({ ...ann, name: 'one-more' }, later);
    expect(attempts.admit(ann, later)).toBe(false);
  });

  it('before a successful sign-in no longer count', () => {
    const attempts = countAttempts();
    tries(10, attempts);
    attempts.forget(ann);
    expect(attempts.admit(ann, start)).toBe(true);
  });
});
