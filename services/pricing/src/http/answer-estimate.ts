/** POST /offers/price-estimate once its body has been read: the reply, whichever way the request came in. */

import type { IncomingMessage } from 'node:http';
import type { CallerContext } from '@offer-ads/contracts/caller-context';
import type { EstimateReply, Refusal } from '@offer-ads/contracts/public-api';
import { requestFacts } from '@offer-ads/platform/http-request';
import { type EstimateRefusal, readEstimateForm, refusalOfInterests } from '../domain/estimate-form.ts';
import type { HeldInterests } from '../held-interests.ts';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { estimateReply, refusalReply } from './replies.ts';

export type EstimateParts = PriceParts & { readonly interests: Pick<HeldInterests, 'active'> };
export type EstimateAnswer = { readonly status: number; readonly body: EstimateReply | Refusal };

/** A form with every interest there may be takes 4 kB. */
export const MAX_BODY_BYTES = 65_536;

export async function answerEstimate(
  o: EstimateParts,
  req: IncomingMessage,
  { mode, currency }: CallerContext,
  body: unknown,
): Promise<EstimateAnswer> {
  const { now, deadline } = awaitedFacts(req);
  const read = readEstimateForm(body, mode, now);
  if (!read.ok) return refusal(read.refusal);
  const { interests } = read.form.target;
  const unknown = interests.length > 0 && refusalOfInterests(interests, o.interests.active());
  if (unknown) return refusal(unknown);
  const price = await priceOffer(o, { ...read.form, currency, now, deadline });
  return { status: 200, body: estimateReply(price, currency) };
}

/** A body that cannot be read is invalid input (`E1`), whatever is wrong with it. */
export function unreadableBody(): EstimateAnswer {
  const fault = `The body must be a JSON object of at most ${MAX_BODY_BYTES} bytes`;
  return refusal({ reason: 'invalid-input', faults: [fault] });
}

/** Pricing only reads: whoever leaves needs nothing of it any more. */
export function awaitedFacts(req: IncomingMessage) {
  const facts = requestFacts(req);
  return { now: facts.receivedAt, deadline: facts.deadline().whileAwaited() };
}

function refusal(why: EstimateRefusal): EstimateAnswer {
  const body = refusalReply(why);
  return { status: body.code, body };
}
