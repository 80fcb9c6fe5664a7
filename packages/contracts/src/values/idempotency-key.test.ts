import { describe, expect, it } from '@jest/globals';
import { isIdempotencyKey } from './idempotency-key.ts';

describe('an idempotency key', () => {
  it.each(['a', '3f6c2f0e-9c1b-4b57-8f0e-1d2c3b4a5f60', '~!"#', 'x'.repeat(255)])('may be %j', (key) => {
    expect(isIdempotencyKey(key)).toBe(true);
  });
  it.each(['', 'a b', 'a\tb', 'é', '\u007f', 'x'.repeat(256)])('cannot be %j', (key) => {
    expect(isIdempotencyKey(key)).toBe(false);
  });
});
