import { describe, expect, it } from '@jest/globals';
import { anyInstant, instantOf } from './primitives.ts';

describe('an instant of a system outside', () => {
  it.each([
    ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
    ['2026-06-01T12:00:00.5Z', '2026-06-01T12:00:00.500Z'],
    ['2026-06-01t12:00:00.123456789z', '2026-06-01T12:00:00.123Z'],
    ['2026-06-01T14:30:00+02:30', '2026-06-01T12:00:00.000Z'],
    ['2026-06-30T23:59:60Z', '2026-06-30T23:59:59.000Z'],
  ])('may be %s', (text, same) => {
    expect(anyInstant.safeParse(text).success).toBe(true);
    expect(instantOf(text).toISOString()).toBe(same);
  });

  it.each([
    '2026-06-01',
    '2026-06-01T12:00:00',
    '2026-06-01 12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-06-01T25:00:00Z',
    '1780315200000',
    'yesterday',
  ])('is not %s', (text) => {
    expect(anyInstant.safeParse(text).error?.issues[0]?.message).toContain('RFC 3339');
  });
});
