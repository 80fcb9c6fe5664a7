/** How hard races, crashes, fuzzing and properties are tried: a little in `npm test`, much in `npm run test:long`. */
import fc from 'fast-check';
import { testProfile } from './config.ts';

export { testProfile } from './config.ts';

/** Repetitions for the running profile, for example `runs(20, 1_000)`. */
export function runs(small: number, long: number): number {
  return testProfile === 'long' ? long : small;
}

/** Import fast-check from here: it comes with as many runs as the profile asks for. */
fc.configureGlobal({ numRuns: runs(100, 10_000) });

export { fc };
