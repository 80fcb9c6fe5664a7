/** Which versions a round of `npm run rolling` has, and when the databases are migrated. */
import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.ts';
import { rounds } from './rounds.ts';

describe('going back', () => {
  it('is refused when there is no version to go back to', () => {
    expect(() => readOptions(['--rounds', 'rolling,back'])).toThrow('--from');
    expect(readOptions(['--rounds', 'rolling,back', '--from', '../before']).rounds).toEqual([
      'rolling',
      'back',
    ]);
  });

  it('leaves the databases as the newer version has them', () => {
    expect(rounds.back).toMatchObject({ to: 'before' });
    expect(rounds.back.migrates).toBeUndefined();
    expect(rounds.rolling).toMatchObject({ to: 'this', migrates: true });
  });

  it('allows no more than going forward does', () => {
    expect(rounds.back.allowance).toEqual(rounds.rolling.allowance);
    expect(rounds.rolling.allowance).toEqual({ refused: false, broken: false });
  });
});
