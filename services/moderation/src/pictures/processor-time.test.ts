import { describe, expect, it } from '@jest/globals';
import { shareProcessorTime } from './processor-time.ts';

describe('processor time', () => {
  it('is divided equally among all work that is under way, moment by moment, and all of it is given once', () => {
    let totalMs = 1_000;
    const begin = shareProcessorTime(() => totalMs);
    totalMs += 500;
    const endLong = begin();
    totalMs += 10;
    const endShort = begin();
    totalMs += 8;
    expect(endShort()).toBe(4);
    totalMs += 20;
    expect(endLong()).toBe(34);
    totalMs += 500;
    const endNext = begin();
    totalMs += 3;
    expect(endNext()).toBe(3);
  });
});
