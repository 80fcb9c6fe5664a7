import { describe, expect, it } from '@jest/globals';
import { parseId } from './offer-id.ts';

describe('an offer id in a path', () => {
  it('is a positive integer that the store can hold', () => {
    expect(parseId('17')).toBe(17);
    expect(parseId('2147483647')).toBe(2_147_483_647);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    ...'0 -1 +1 1.5 1.0 x 1e3 0x1 007 \u0661 \uff11 2147483648 99999999999999999999'.split(' '),
  ])('is not %j', (text) => {
    expect(parseId(text)).toBeUndefined();
  });
});
