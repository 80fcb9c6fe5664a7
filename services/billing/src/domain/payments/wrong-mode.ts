import type { Mode } from '@offer-ads/contracts/values/primitives';

/** An event of one mode's account names something of the other mode. Thrown, so that its whole transaction is rolled back. */
export class WrongMode extends Error {
  constructor(what: string, mode: Mode) {
    super(`${what} is not of ${mode} mode, in which it was reported`);
  }
}
