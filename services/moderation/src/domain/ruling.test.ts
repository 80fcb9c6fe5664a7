import { describe, expect, it } from '@jest/globals';
import { type Ruling, rulingOn } from './ruling.ts';

const ruling = (number: number, action: 'allow' | 'block'): Ruling => ({
  number,
  action,
  contentHash: 'c',
  cleanHash: 'm',
  author: 'ann',
  reason: 'because',
  at: new Date(0),
});

describe('what people decided about a picture', () => {
  it('is nothing when nobody decided anything', () => {
    expect(rulingOn(undefined, undefined)).toBeUndefined();
  });

  it('holds whatever it was', () => {
    expect(rulingOn(ruling(1, 'allow'), undefined)).toMatchObject({ verdict: 'allowed' });
    expect(rulingOn(ruling(1, 'block'), undefined)).toMatchObject({ verdict: 'refused', reason: 'blocked' });
  });

  it('is the block of the picture that it is a copy of, unless it was allowed itself since', () => {
    const block = ruling(2, 'block');
    const asCopy = { verdict: 'refused', reason: 'copy-of-blocked', ruling: block };
    expect(rulingOn(undefined, block)).toEqual(asCopy);
    expect(rulingOn(ruling(1, 'allow'), block)).toEqual(asCopy);
    expect(rulingOn(ruling(3, 'allow'), block)).toMatchObject({ verdict: 'allowed' });
  });

  it('is its own block, though it is like itself', () => {
    const block = ruling(4, 'block');
    expect(rulingOn(block, block)).toMatchObject({ reason: 'blocked' });
  });
});
