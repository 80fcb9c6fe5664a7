/** Consumers of other services' events: credit offers, close checkouts, update the projection of organisations. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { on, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { recordInInbox } from '@offer-ads/platform/messaging/inbox';
import { creditUnusedTime } from './balance/credit-offer.ts';
import type { Billing } from './billing.ts';
import { saveOrganisation } from './organisations-store.ts';
import { scheduleClosing } from './payments/checkouts-store.ts';
import { lockOfferPayment } from './payments/payments-store.ts';

export function subscriptions(billing: Billing): readonly Subscription[] {
  const saveFacts = (event: { readonly data: OrganisationFacts; readonly subjectVersion: number }) =>
    saveOrganisation(billing.postgres, event.data, event.subjectVersion);
  return [
    on(OfferPaymentApplied, (event) => credit(billing, event.id, event.data)),
    on(OfferEnded, (event) => creditOrClose(billing, event.id, event.data)),
    on(OfferDeleted, (event) => creditOrClose(billing, event.id, event.data)),
    on(OrganisationRegistered, saveFacts),
    on(OrganisationChanged, saveFacts),
  ];
}

type OfferFacts = UnusedTime & { readonly offerId: number };

async function creditOrClose(
  billing: Billing,
  eventId: string,
  offer: OfferFacts & { readonly paid: boolean },
): Promise<void> {
  if (offer.paid) await credit(billing, eventId, offer);
  else await scheduleClosing(billing.postgres, offer.offerId, billing.clock.now());
}

async function credit(
  billing: Billing,
  eventId: string,
  { offerId, ...unusedTime }: OfferFacts,
): Promise<void> {
  // As of nearly every offer that was just paid: nothing is credited, and nothing needs to be remembered about the event.
  if (unusedTime.unusedMs === 0) return;
  await billing.postgres.transaction(async (tx) => {
    if (!(await recordInInbox(tx, eventId))) return;
    const payment = await lockOfferPayment(tx, offerId);
    // Offers reports a paid offer only after billing has published its payment. The message is parked for a person to look at.
    if (payment === undefined) throw new Error(`offer ${offerId} is paid but billing does not know it`);
    await creditUnusedTime(tx, payment, unusedTime, billing.clock.now());
  });
}
