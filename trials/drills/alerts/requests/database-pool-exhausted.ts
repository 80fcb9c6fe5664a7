import { signedCaller } from '@offer-ads/testing/caller';
import type { Drill } from '../../drill.ts';
import { endForgotten } from '../../faults/forgotten-transactions.ts';

const CALLERS = 30;

/**
 * A forgotten session locks the table of offers, so each listing holds a connection until its timeout. The calls go directly to
 * offers, because the gateway's circuit breaker would soon refuse them.
 */
export const databasePoolExhausted: Drill = {
  alert: 'DatabasePoolExhausted',
  cause: async ({ locks, repeat, addresses, secrets }) => {
    await locks.hold('offers', 'LOCK TABLE offers IN ACCESS EXCLUSIVE MODE');
    const headers = signedCaller({ audience: 'offers' }, secrets().offersContext);
    const list = () =>
      fetch(`${addresses.offers}/offers?environment=test`, { headers, signal: AbortSignal.timeout(10_000) });
    for (let caller = 0; caller < CALLERS; caller += 1) repeat(1_000, list);
  },
  mend: endForgotten('offers'),
};
