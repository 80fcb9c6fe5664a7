/**
 * Reads an event of Stripe, from a webhook or from the list: the one place that decides its mode. The account that reports it says the
 * mode; the event and its object must say the same. Applying the event compares the rows that it names.
 */
import { createHash } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import type { Reversal } from '../domain/payments/reversal.ts';
import { instant, text } from './fields.ts';
import { reversalOf } from './reversals.ts';
import { factsOf, type SessionFacts } from './session-facts.ts';

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
