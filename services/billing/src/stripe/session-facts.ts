/** What billing reads of a Checkout Session, whether Stripe reports it in an event or in an answer. */
import { type Mode, offerId, organisationId } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import type { Purchase, Receipt } from '../domain/payments/card-payment.ts';
import { amount, currency, reference, text } from './fields.ts';

/** The state of a session at Stripe. */
export type SessionFacts = {
  /** `missing`: the account of our key has no such session. */
  readonly status: 'open' | 'complete' | 'expired' | 'missing';
  readonly isPaid: boolean;
  /** Null if billing did not create the session. */
  readonly receipt: Receipt | null;
};

const sharedMetadata = {
  organisation_id: z.coerce.number().pipe(organisationId),
  generation: z.coerce.number().int().positive(),
};
const ourMetadata = z.union([
  z
    .object({ offer_id: z.coerce.number().pipe(offerId), ...sharedMetadata })
    .transform((ours) => ({ ...ours, purchase: { kind: 'offer', offerId: ours.offer_id } as Purchase })),
  z
    .object({ top_up_id: z.coerce.number().int().positive(), ...sharedMetadata })
    .transform((ours) => ({ ...ours, purchase: { kind: 'top-up', topUpId: ours.top_up_id } as Purchase })),
]);

const anySession = z.looseObject({ status: z.string().nullish(), payment_status: z.string() });
const ourSession = z.object({
  id: text,
  amount_total: amount.nullable(),
  currency: currency.nullable(),
  payment_intent: reference,
});

/**
 * @param mode that of the account that says it
 * @throws if the session has not the shape that Stripe documents, or is of the other mode
 */
export function factsOf(session: unknown, mode: Mode): SessionFacts {
  const { status, payment_status: paymentStatus } = z
    .intersection(anySession, z.object({ livemode: z.literal(mode === 'LIVE') }))
    .parse(session);
  // A status unknown to this version may still allow a payment, so it counts as open.
  const known = status === 'complete' || status === 'expired' ? status : 'open';
  return { status: known, isPaid: paymentStatus === 'paid', receipt: receiptOf(session, mode) };
}

function receiptOf(session: unknown, mode: Mode): Receipt | null {
  const ours = z.object({ metadata: ourMetadata }).safeParse(session);
  if (!ours.success) return null;
  const { id: sessionId, amount_total: amountMinor, currency, payment_intent } = ourSession.parse(session);
  if (amountMinor === null || currency === null) return null;
  const { purchase, organisation_id: organisationId, generation } = ours.data.metadata;
  return {
    sessionId,
    paymentIntentId: payment_intent,
    amountMinor,
    currency,
    purchase,
    organisationId,
    mode,
    generation,
  };
}
