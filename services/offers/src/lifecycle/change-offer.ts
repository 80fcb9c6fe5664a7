/** Pause and resume by the advertiser; disable and enable by the platform's admins. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import {
  type Decision,
  type DisableRefusal,
  disable,
  type EnableRefusal,
  effectiveAt,
  enable,
  type PauseRefusal,
  pause,
  type ResumeRefusal,
  resume,
} from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type Change, findOfferForAdmin, type OfferReference, updateOffer } from '../offers-store.ts';
import { disabled, enabled, type OfferNews, paused, resumed } from './offer-events.ts';

export async function pauseOffer(
  o: OffersContext,
  reference: OfferReference,
  now: Date,
  deadline: Deadline,
): Promise<Change<PauseRefusal>> {
  return changeOffer(o, reference, { now, deadline }, { decide: pause, tell: paused });
}

export async function resumeOffer(
  o: OffersContext,
  reference: OfferReference,
  now: Date,
  deadline: Deadline,
): Promise<Change<ResumeRefusal>> {
  return changeOffer(o, reference, { now, deadline }, { decide: resume, tell: resumed });
}

/** Admins give only the offer's id, without organisation and mode. */
export async function disableOffer(
  o: OffersContext,
  offerId: number,
  now: Date,
  deadline: Deadline,
): Promise<Change<DisableRefusal>> {
  const reference = await findOfferForAdmin(o.postgres, offerId);
  if (reference === null) return { ok: false, reason: 'not-found' };
  return changeOffer(o, reference, { now, deadline }, { decide: disable, tell: disabled });
}

export async function enableOffer(
  o: OffersContext,
  offerId: number,
  now: Date,
  deadline: Deadline,
): Promise<Change<EnableRefusal>> {
  const reference = await findOfferForAdmin(o.postgres, offerId);
  if (reference === null) return { ok: false, reason: 'not-found' };
  return changeOffer(o, reference, { now, deadline }, { decide: enable, tell: enabled });
}

async function changeOffer<Refusal extends string>(
  o: OffersContext,
  reference: OfferReference,
  { now, deadline }: { readonly now: Date; readonly deadline: Deadline },
  command: {
    readonly decide: (offer: Offer, now: Date) => Decision<Offer, Refusal>;
    readonly tell: (offer: Offer, at: Date) => OfferNews;
  },
): Promise<Change<Refusal | 'not-found'>> {
  const decide = (offer: Offer) => {
    const at = effectiveAt(offer, now);
    const decided = command.decide(offer, at);
    return decided.ok ? { ...decided, news: [command.tell(decided.offer, at)] } : decided;
  };
  return updateOffer<Change<Refusal>>(o.postgres, reference, decide, deadline);
}
