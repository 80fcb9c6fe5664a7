/** Simulated views and clicks in TEST mode: they count like those of members, and no event is published. */
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { type SimulationRefusal, simulateTraffic } from '../domain/traffic/simulation.ts';
import type { Traffic } from '../domain/traffic/traffic.ts';
import { findOffer, type OfferReference } from '../offers-store.ts';
import { addTraffic, sumTraffic } from './traffic-store.ts';

export type SimulationOutcome =
  | { readonly ok: true; readonly total: Traffic }
  | Refused<SimulationRefusal | { readonly reason: 'not-found' }>;

export async function addSimulatedTraffic(
  { postgres }: Pick<OffersContext, 'postgres'>,
  reference: OfferReference,
  traffic: Traffic,
  { now, deadline }: { readonly now: Date; readonly deadline: Deadline },
): Promise<SimulationOutcome> {
  return postgres.transaction(async (tx) => {
    const offer = await findOffer(tx, reference);
    if (offer === null) return { ok: false, reason: 'not-found' };
    const simulated = simulateTraffic(offer, traffic, now);
    if (!simulated.ok) return simulated;
    await addTraffic(tx, [simulated.rollUp]);
    const total = await sumTraffic(tx, offer.offerId, { from: offer.createdAt, to: simulated.rollUp.hour });
    return { ok: true, total };
  }, deadline);
}
