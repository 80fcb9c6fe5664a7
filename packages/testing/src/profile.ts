/** The size of tests of races, crashes and properties: small in `npm test`, large in `npm run test:long`. */
import fc from 'fast-check';
import { testProfile } from './config.ts';

export { testProfile } from './config.ts';

/** Repetitions for the running profile, for example `runs(20, 1_000)`. */
export function runs(small: number, long: number): number {
  return testProfile === 'long' ? long : small;
}

/** Import fast-check from here: it has the number of runs of the profile. */
fc.configureGlobal({ numRuns: runs(100, 10_000) });

export { fc };
