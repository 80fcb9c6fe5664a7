/** The commands of an advertiser, for one offer and for several, each as if it were the only one. */
import type { BulkReply } from '@offer-ads/contracts/portal/offers-api';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import type { PauseRefusal, ResumeRefusal } from '../domain/lifecycle/lifecycle.ts';
import { changeMany } from '../lifecycle/change-many.ts';
import { pauseOffer, resumeOffer } from '../lifecycle/change-offer.ts';
import { type DeleteRefusal, deleteOffer } from '../lifecycle/delete-offer.ts';
import type { OfferReference } from '../offers-store.ts';
import { callOf } from './own-offer.ts';
import { deleteReplies, messageOf, pauseReplies, type Reply, resumeReplies } from './replies.ts';

/** What is left of the request's time after the last offer: enough to send the reply. */
const REPLY_MS = 500;

export type Command<Refusal extends string> = {
  readonly change: (
    o: OffersContext,
    reference: OfferReference,
    call: ReturnType<typeof callOf>,
  ) => Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: Refusal }>;
  readonly replies: Readonly<Record<Refusal, Reply>>;
  readonly done: string;
};

export const commands = {
  pause: {
    change: pauseOffer,
    replies: pauseReplies,
    done: 'Offer has been paused',
  } as Command<PauseRefusal>,
  resume: {
    change: resumeOffer,
    replies: resumeReplies,
    done: 'Offer has been resumed',
  } as Command<ResumeRefusal>,
  delete: {
    change: (o, reference, call) => deleteOffer(o, call, reference),
    replies: deleteReplies,
    done: 'Offer has been deleted',
  } as Command<DeleteRefusal>,
};

export function changeEach<Refusal extends string>(
  o: OffersContext,
  req: Request,
  offerIds: readonly number[],
  { change, replies, done }: Command<Refusal>,
): Promise<BulkReply> {
  const { organisationId, mode } = callerOf(req);
  const call = callOf(req);
  const within = { ...call, deadline: createDeadline(call.deadline.remainingMs() - REPLY_MS) };
  return changeMany(offerIds, o.logger, async (offerId) => {
    const outcome = await change(o, { offerId, organisationId, mode }, within);
    return outcome.ok
      ? { done: true, message: done }
      : { done: false, message: messageOf(replies[outcome.reason]) };
  });
}
