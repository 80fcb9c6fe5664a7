/**
 * Metrics: how many refunds and disputes wait for a decision, and how much was credited for such payments. Every replica exports them, so
 * none is lost with a replica.
 */
import { billedCurrencies } from '@offer-ads/contracts/values/currencies';
import { mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { creditOwed } from '../domain/ledger/credit.ts';
import { countUndecided, listCreditedDespiteReversal } from './reversals-store.ts';

/** Decisions take hours, and the query reads all refunds ever made, so once a minute is enough. */
const LOOK_EVERY_MS = 60_000;

export function watchReversals(o: { postgres: Postgres; logger: Logger; metrics: Metrics }): Loop {
  const waiting = o.metrics.gauge({
    name: 'card_reversals_waiting',
    help: 'Refunds and disputes at the card provider without a decision who bears them; the same on every replica',
    labelNames: ['kind', 'mode'],
  });
  const owed = o.metrics.gauge({
    name: 'credits_owed_minor_units',
    help: 'Unused Time that was credited although the card provider has taken the payment back, until a decision who bears it; the same on every replica',
    labelNames: ['mode', 'currency'],
  });
  return startLoop({
    ...o,
    name: 'reversals-look',
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      const counted = await countUndecided(o.postgres);
      for (const kind of ['refund', 'dispute'])
        for (const each of mode.options)
          waiting.set(
            { kind, mode: each },
            counted.find((found) => found.kind === kind && found.mode === each)?.waiting ?? 0,
          );
      const credited = await listCreditedDespiteReversal(o.postgres);
      for (const each of mode.options)
        for (const currency of billedCurrencies) {
          const owing = credited.filter((offer) => offer.mode === each && offer.currency === currency);
          const minor = owing.reduce((sum, offer) => sum + creditOwed(offer, offer), 0n);
          owed.set({ mode: each, currency }, Number(minor));
        }
    },
  });
}
