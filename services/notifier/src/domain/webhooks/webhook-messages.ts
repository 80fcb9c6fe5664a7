/** Which event becomes which webhook, and what the webhook says. */
import { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import {
  OfferActivated,
  OfferCreated,
  OfferDeleted,
  OfferDisabled,
  OfferEnabled,
  OfferEnded,
  OfferPaused,
  OfferPaymentApplied,
  OfferResumed,
  OfferUpdated,
} from '@offer-ads/contracts/events/offers';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { EventType, WebhookData } from '@offer-ads/contracts/webhooks/webhook-types';

export type WebhookSource = {
  readonly declaration: EventDeclaration;
  readonly type: EventType;
  /** The data of the message. The event has been checked against its declaration. */
  readonly dataOf: (data: unknown) => unknown;
};

/** What is the same in each event that becomes a webhook. */
export type WebhookCause = { readonly organisationId: number; readonly mode: Mode };

export const webhookSources: readonly WebhookSource[] = [
  source(OfferCreated, 'offer.created', (event) => ({
    ...offerOf(event),
    payment_method: event.paymentMethod,
    paid: event.paid,
  })),
  source(OfferUpdated, 'offer.updated', (event) => ({
    ...offerOf(event),
    changed_fields: event.changedFields,
  })),
  source(OfferPaymentApplied, 'offer.paid', (event) => ({
    ...offerOf(event),
    payment_method: event.paymentMethod,
    currency: event.currency,
    net_minor: event.netMinor,
    vat_minor: event.vatMinor,
    outcome: event.outcome,
  })),
  source(OfferActivated, 'offer.activated', offerOf),
  source(OfferPaused, 'offer.paused', offerOf),
  source(OfferResumed, 'offer.resumed', offerOf),
  source(OfferDisabled, 'offer.disabled', (event) => ({ ...offerOf(event), reason: event.reason })),
  source(OfferEnabled, 'offer.enabled', offerOf),
  source(OfferEnded, 'offer.ended', (event) => ({ ...offerOf(event), paid: event.paid })),
  source(OfferDeleted, 'offer.deleted', (event) => ({ ...offerOf(event), paid: event.paid })),
  source(BalanceCredited, 'balance.credited', (event) => ({
    ...balanceOf(event),
    amount_minor: event.amountMinor,
    offer_id: event.offerId,
    title: event.title,
  })),
  source(BalanceToppedUp, 'balance.topped_up', (event) => ({
    ...balanceOf(event),
    amount_minor: event.netMinor,
    vat_minor: event.vatMinor,
    method: event.method,
  })),
  source(BalanceLow, 'balance.low', (event) => ({
    ...balanceOf(event),
    threshold_minor: event.thresholdMinor,
  })),
];

export function webhookSourceOf(declaration: EventDeclaration): WebhookSource | undefined {
  return webhookSources.find((source) => source.declaration === declaration);
}

/** The bytes that are sent and signed, at each attempt the same. */
export function webhookText(type: string, happenedAt: Date, data: unknown): string {
  return JSON.stringify({ type, timestamp: happenedAt.toISOString(), data });
}

function source<D extends EventDeclaration, Type extends EventType>(
  declaration: D,
  type: Type,
  dataOf: (data: EventData<D>) => WebhookData<Type>,
): WebhookSource {
  return { declaration, type, dataOf: (data) => dataOf(data as EventData<D>) };
}

/** Named one by one: a field that an event gets later is not told to anybody by accident. */
function offerOf(
  event: Omit<EventData<typeof OfferActivated>, 'activatedAt'>,
): WebhookData<'offer.activated'> {
  return {
    environment: event.mode,
    offer_id: event.offerId,
    title: event.title,
    start_datetime: event.startAt,
    expiry_datetime: event.expiryAt,
  };
}

function balanceOf(event: Pick<EventData<typeof BalanceLow>, 'mode' | 'currency' | 'balanceMinor'>) {
  return { environment: event.mode, currency: event.currency, balance_minor: event.balanceMinor };
}
