import { describe, expect, it } from '@jest/globals';
import type { Limit } from './fixed-window.ts';
import {
  countHere,
  type KnownCount,
  surelyOver,
  toAdd,
  withoutDebt,
  withSharedCount,
} from './known-count.ts';

const limit: Limit = { name: 'test', requests: 60, windowSeconds: 60 };
const known = (count: number, owed = 0): KnownCount => ({ count, owed, endsAtMs: 10_000 });

describe('a client whose shared count is known here', () => {
  it('is refused without asking the store if the limit is used up, until the window ends', () => {
    expect(surelyOver(known(59), limit, 0)).toBeUndefined();
    expect(surelyOver(known(60), limit, 0)).toEqual({ count: 61, endsAtMs: 10_000 });
    expect(surelyOver(known(60), limit, 10_000)).toBeUndefined();
    expect(surelyOver(undefined, limit, 0)).toBeUndefined();
  });

  it('is asked for at the store while requests are owed, so that other replicas learn of them', () => {
    expect(surelyOver(known(60, 1), limit, 0)).toBeUndefined();
  });

  it('adds one request and a whole window if nothing is owed', () => {
    for (const nothingOwed of [undefined, known(5), known(5, 0)])
      expect(toAdd(nothingOwed, limit, 0)).toEqual({ requests: 1, windowSeconds: 60 });
  });

  it('adds the owed requests to the next one, in a window that ends with the local one', () => {
    expect(toAdd(known(40, 12), limit, 3_500)).toEqual({ requests: 13, windowSeconds: 7 });
    expect(withoutDebt(known(40, 12))).toEqual(known(40));
  });

  it('adds no owed requests of a window that has ended', () => {
    expect(toAdd(known(40, 12), limit, 10_000)).toEqual({ requests: 1, windowSeconds: 60 });
  });

  it('is the highest count of several answers, because answers can arrive out of order', () => {
    const answer = (count: number) => ({ count, endsAtMs: 10_000 });
    expect(withSharedCount(withSharedCount(undefined, answer(5), 0), answer(4), 0)).toEqual(known(5));
    expect(withSharedCount(known(5, 2), answer(8), 0)).toEqual(known(8, 2));
  });

  it('is replaced by the count of a new window, even if that is lower', () => {
    expect(withSharedCount(known(60, 3), { count: 1, endsAtMs: 70_000 }, 10_000)).toEqual({
      count: 1,
      endsAtMs: 70_000,
      owed: 0,
    });
  });

  it('continues from the known count while the store is away, and owes what is counted here', () => {
    const first = countHere(known(30), limit, { nowMs: 5_000, owes: 1 });
    expect(first).toEqual(known(31, 1));
    expect(countHere(first, limit, { nowMs: 6_000, owes: 1 })).toEqual(known(32, 2));
  });

  it('owes nothing for a request that the store may have counted, and nothing from an ended window', () => {
    expect(countHere(known(30), limit, { nowMs: 5_000, owes: 0 })).toEqual(known(31));
    expect(countHere(known(30, 7), limit, { nowMs: 10_000, owes: 1 })).toEqual({
      count: 1,
      endsAtMs: 70_000,
      owed: 1,
    });
  });
});
