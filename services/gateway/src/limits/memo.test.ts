import { describe, expect, it } from '@jest/globals';
import { memo } from './memo.ts';

describe('a memo', () => {
  it('computes a text once, and again after 50,000 other texts, so that its memory is limited', () => {
    const computed: string[] = [];
    const numberOf = memo((text) => computed.push(text));
    expect([numberOf('a'), numberOf('a')]).toEqual([1, 1]);
    for (let count = 0; count < 50_000; count += 1) numberOf(`b${count}`);
    numberOf('a');
    expect(computed.filter((text) => text === 'a')).toHaveLength(2);
  });

  it('stores no text that is longer than any address', () => {
    let computed = 0;
    const compute = memo(() => (computed += 1));
    for (let count = 0; count < 3; count += 1) compute('x'.repeat(65));
    expect(computed).toBe(3);
  });
});
