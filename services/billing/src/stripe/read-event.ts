/**
 * What billing reads of Stripe: events, from signed webhooks or from the list, and Checkout Sessions. It is the one place that decides the
 * mode of an event. The account that reports it says the mode; the event and its object must say the same. Applying the event compares the
 * rows that it names.
 */
import { createHash } from 'node:crypto';
import { type Mode, mode as modeSchema, organisationId } from '@offer-ads/contracts/values/primitives';
import { allSecrets } from '@offer-ads/platform/config/secrets';
import { Stripe } from 'stripe';
import { z } from 'zod';
import type { Purchase, Receipt } from '../domain/payments/card-payment.ts';
import type { Reversal } from '../domain/payments/reversal.ts';
import type { StripeAccount } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { amount, currency, instant, reference, text } from './fields.ts';
import { reversalOf } from './reversals.ts';

/** By this a person finds the event at Stripe. */
export type EventName = { readonly eventId: string; readonly mode: Mode; readonly type: string };

export type ProviderEvent = EventName & {
  readonly createdAt: Date;
  /** The session, refund or dispute of the event; null if the event is about something else. */
  readonly content: EventContent | null;
};

type EventContent =
  | { readonly kind: 'completed' | 'ended'; readonly session: SessionFacts }
  | { readonly kind: 'reversal'; readonly reversal: Reversal };

export type StripeEventReading = EventName &
  (
    | { readonly ok: true; readonly event: ProviderEvent }
    | {
        readonly ok: false;
        /** `wrong-mode`: account, event and object do not agree. `unreadable`: it has not the shape that Stripe documents. */
        readonly reason: 'wrong-mode' | 'unreadable';
        readonly error: Error;
      }
  );

const eventShape = z.object({
  id: text,
  type: text,
  created: instant,
  livemode: z.boolean(),
  data: z.object({ object: z.looseObject({}) }),
});

/** @param mode that of the account whose secret signed the event, or whose key asked for it */
export function readEvent(body: unknown, mode: Mode): StripeEventReading {
  const name = nameOf(body, mode);
  if (saysOtherMode(body, mode)) {
    const error = new Error(`an event or its object says another mode than its account, which is ${mode}`);
    return { ...name, ok: false, reason: 'wrong-mode', error };
  }
  try {
    const { id: eventId, type, created: createdAt, data } = eventShape.parse(body);
    const content = contentOf(type, data.object, { mode, createdAt });
    return { ...name, ok: true, event: { eventId, type, mode, createdAt, content } };
  } catch (cause) {
    // Its message names fields and not their values.
    const error = cause instanceof z.ZodError ? new Error(z.prettifyError(cause)) : (cause as Error);
    return { ...name, ok: false, reason: 'unreadable', error };
  }
}

function saysOtherMode(body: unknown, mode: Mode): boolean {
  const otherMode = z.object({ livemode: z.literal(mode === 'TEST') });
  return z.union([otherMode, z.object({ data: z.object({ object: otherMode }) })]).safeParse(body).success;
}

const nameShape = z.object({ id: text.nullable().catch(null), type: text.catch('unknown') });

/** An event without an id is named by its digest, so that a repeat is recognised. */
function nameOf(body: unknown, mode: Mode): EventName {
  const { id, type } = nameShape.catch({ id: null, type: 'unknown' }).parse(body);
  const digest = () => createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return { eventId: id ?? `unnamed ${digest()}`, mode, type };
}

type EventFacts = { readonly mode: Mode; readonly createdAt: Date };

function contentOf(type: string, object: unknown, facts: EventFacts): EventContent | null {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return { kind: 'completed', session: factsOf(object, facts.mode) };
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed':
      return { kind: 'ended', session: factsOf(object, facts.mode) };
    default: {
      const reversal = reversalOf(type, object, facts);
      return reversal && { kind: 'reversal', reversal };
    }
  }
}

/** `unsigned`: forged, altered, too old, or signed with another secret. */
export type WebhookReading = StripeEventReading | { readonly ok: false; readonly reason: 'unsigned' };

/** Stripe's recommended limit against replays; Stripe signs each retry anew. */
const TOLERANCE_SECONDS = 300;

/** Pairs of name and value. On a part without a value, the SDK throws an unexpected error instead of refusing it. */
const isSignature = /^[^=,]+=[^=,][^,]*(,[^=,]+=[^=,][^,]*)*$/;

/** `body` is the unparsed bytes of the request: any re-encoding would break the signature. */
export function readWebhook(
  stripe: StripeAccounts,
  body: Buffer,
  signature: string,
  now: Date,
): WebhookReading {
  const mode = signerOf(stripe, body, signature, now);
  return mode === undefined ? { ok: false, reason: 'unsigned' } : readEvent(parsed(body), mode);
}

/** The mode of the account whose secret signed the body. */
function signerOf(stripe: StripeAccounts, body: Buffer, signature: string, now: Date): Mode | undefined {
  if (!isSignature.test(signature)) return undefined;
  return modeSchema.options.find((mode) =>
    allSecrets(stripe[mode].webhookSecret).some((secret) =>
      isSigned(stripe[mode], body, signature, secret, now),
    ),
  );
}

function isSigned(
  { client }: StripeAccount,
  body: Buffer,
  signature: string,
  secret: string,
  now: Date,
): boolean {
  try {
    const receivedAt = now.getTime();
    const { signature: signatures } = client.webhooks;
    return (
      signatures?.verifyHeader(body, signature, secret, TOLERANCE_SECONDS, undefined, receivedAt) === true
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

/** Text that is not JSON is read as a string, which is an unreadable event. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

/** The state of a session at Stripe. */
export type SessionFacts = {
  /** `missing`: the account of our key has no such session. */
  readonly status: 'open' | 'complete' | 'expired' | 'missing';
  readonly isPaid: boolean;
  /** Null if billing did not create the session. */
  readonly receipt: Receipt | null;
};

const sharedMetadata = z.object({
  organisation_id: z.coerce.number().pipe(organisationId),
  generation: z.coerce.number().int().positive(),
});

/** A session of ours has one of the three. */
export function metadataKey(kind: Purchase['kind']): string {
  return `${kind.replace('-', '_')}_id`;
}

const idOf = (kind: Purchase['kind']) =>
  z
    .object({ [metadataKey(kind)]: z.coerce.number().int().positive() })
    .transform((ids): Purchase => ({ kind, id: Object.values(ids)[0] ?? 0 }));
const purchaseMetadata = z.union([idOf('offer'), idOf('group'), idOf('top-up')]);

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
  const ours = z.object({ metadata: sharedMetadata }).safeParse(session);
  const bought = z.object({ metadata: purchaseMetadata }).safeParse(session);
  if (!ours.success || !bought.success) return null;
  const { id: sessionId, amount_total: amountMinor, currency, payment_intent } = ourSession.parse(session);
  if (amountMinor === null || currency === null) return null;
  const { organisation_id: organisationId, generation } = ours.data.metadata;
  return {
    sessionId,
    paymentIntentId: payment_intent,
    amountMinor,
    currency,
    purchase: bought.data.metadata,
    organisationId,
    mode,
    generation,
  };
}
