/** The published pictures of docs/test-pictures, with which an integrator tries out both answers in TEST mode. */
import type { Mode } from '@offer-ads/contracts/values/primitives';

/** By the SHA-256 of the files. They are in integrators' tests: another picture is added, none is ever replaced. */
const verdicts: ReadonlyMap<string, 'allowed' | 'refused'> = new Map([
  ['e111e52dfbfecffb7ed5c40ff675967552f3f50fa7499e5faa8f5b85faf6e604', 'allowed'],
  ['d0bf7008033a58901666c18f6126d416137a46e1742ac1dd589792eee80d6f96', 'refused'],
]);

/** In LIVE mode they are pictures like any other. */
export function testVerdictOn(contentHash: string, mode: Mode): 'allowed' | 'refused' | undefined {
  return mode === 'TEST' ? verdicts.get(contentHash) : undefined;
}
