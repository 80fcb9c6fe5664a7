/** Consumers of other services' events: credit offers, close checkouts, update the projection of organisations. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { on, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { recordInInbox } from '@offer-ads/platform/messaging/inbox';
import { creditTogether, type OfferGroup } from './balance/credit-offer.ts';
import type { Billing } from './billing.ts';
import { type Payment, purchaseOf } from './domain/payments/offer-payment.ts';
import { saveOrganisation } from './organisations-store.ts';
import { closeForEver } from './payments/checkouts-store.ts';
import { lockPayment } from './payments/payments-store.ts';

export function subscriptions(billing: Billing): readonly Subscription[] {
  const saveFacts = (event: { readonly data: OrganisationFacts; readonly subjectVersion: number }) =>
    saveOrganisation(billing.postgres, event.data, event.subjectVersion);
  return [
    on(OfferPaymentApplied, ({ id, data }) => credit(billing, id, creditedWith(data), data.group)),
    on(OfferEnded, (event) => creditOrClose(billing, event.id, event.data)),
    on(OfferDeleted, (event) => creditOrClose(billing, event.id, event.data)),
    on(OrganisationRegistered, saveFacts),
    on(OrganisationChanged, saveFacts),
  ];
}

type OfferFacts = UnusedTime & { readonly offerId: number };
/** Of an offer of a group: those that are credited with it, itself included. */
type Together = { readonly group?: (OfferGroup & { readonly unused: readonly OfferFacts[] }) | undefined };

function creditedWith(offer: OfferFacts & Together): readonly OfferFacts[] {
  return offer.group?.unused.length ? offer.group.unused : [offer];
}

async function creditOrClose(
  billing: Billing,
  eventId: string,
  offer: OfferFacts & Together & { readonly paid: boolean },
): Promise<void> {
  if (offer.paid) await credit(billing, eventId, creditedWith(offer), offer.group);
  else await closeForEver(billing.postgres, offer.offerId, billing.clock.now());
}

async function credit(
  billing: Billing,
  eventId: string,
  offers: readonly OfferFacts[],
  group?: OfferGroup,
): Promise<void> {
  // As of nearly every offer that was just paid: nothing is credited, and nothing needs to be remembered about the event.
  if (offers.every(({ unusedMs }) => unusedMs === 0)) return;
  await billing.postgres.transaction(async (tx) => {
    if (!(await recordInInbox(tx, eventId))) return;
    const payments: { payment: Payment; unusedTime: UnusedTime }[] = [];
    // All rows before the first posting, which locks the balance, and in one order: otherwise two of these could wait for each other.
    for (const { offerId, ...unusedTime } of offers.toSorted((a, b) => a.offerId - b.offerId)) {
      const payment = await lockPayment(tx, purchaseOf({ offerId }));
      // Offers reports a paid offer only after billing has published its payment. The message is parked for a person to look at.
      if (payment === undefined) throw new Error(`offer ${offerId} is paid but billing does not know it`);
      payments.push({ payment, unusedTime });
    }
    await creditTogether(tx, payments, group && { ...group, creditId: eventId }, billing.clock.now());
  });
}
