/** Simulated views and clicks: an advertiser adds them in TEST mode to try analytics and charts. LIVE mode has none. */

import type { Mode, OfferStatus } from '@offer-ads/contracts/values/primitives';
import type { Refused } from '@offer-ads/contracts/values/refused';
import { isLive, type Offer, statusAt } from '../offer.ts';
import { wholeHour } from './analytics-period.ts';
import type { RollUp, Traffic } from './traffic.ts';

export type SimulationRefusal =
  | { readonly reason: 'not-test-mode'; readonly mode: Mode }
  | { readonly reason: 'not-shown'; readonly status: OfferStatus; readonly isDisabled: boolean };

export type Simulation = { readonly ok: true; readonly rollUp: RollUp } | Refused<SimulationRefusal>;

/** As if that many members had each seen the offer once at this moment. */
export function simulateTraffic(offer: Offer, traffic: Traffic, now: Date): Simulation {
  if (offer.mode !== 'TEST') return { ok: false, reason: 'not-test-mode', mode: offer.mode };
  if (!isLive(offer, now)) {
    const status = statusAt(offer, now);
    return { ok: false, reason: 'not-shown', status, isDisabled: offer.disabledSince !== null };
  }
  // The clock of the replica that created the offer may run ahead, and nothing counts before the creation.
  const hour = wholeHour(now < offer.createdAt ? offer.createdAt : now);
  const filtered = { viewsRepeated: 0, clicksRepeated: 0, viewsAutomated: 0, clicksAutomated: 0 };
  return { ok: true, rollUp: { offerId: offer.offerId, hour, counts: { ...traffic, ...filtered } } };
}
