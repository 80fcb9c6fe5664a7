/** When an offer became live; the time in OfferActivated. */
import { isLive, type Lifecycle } from '../offer.ts';

/** Null while it is not live. Otherwise the latest of its start, its payment, and the end of its last stop. */
export function activatedAt(offer: Lifecycle, now: Date): Date | null {
  if (!isLive(offer, now) || offer.paymentAppliedAt === null) return null;
  const lastStop = offer.stops.at(-1)?.to ?? offer.paymentAppliedAt;
  return latest([offer.startAt, offer.paymentAppliedAt, lastStop]);
}

function latest(instants: readonly Date[]): Date {
  return new Date(Math.max(...instants.map((instant) => instant.getTime())));
}
