import { type BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OffersUnderTest } from './offers-under-test.ts';

/** OfferPaid as billing writes it for an offer of the usual caller and price. */
export function offerPaid(
  under: OffersUnderTest,
  offerId: number,
  facts: Partial<EventData<typeof OfferPaid>> = {},
): EventData<typeof OfferPaid> {
  return {
    offerId,
    organisationId: 1,
    mode: 'TEST',
    currency: 'GBP',
    netMinor: '1000',
    vatMinor: '200',
    paidAt: under.clock.now().toISOString(),
    ...facts,
  };
}

/** The payer pays the open page, and the event arrives. */
export async function pay(under: OffersUnderTest, offerId: number): Promise<void> {
  under.otherServices.billing.pay(offerId);
  await under.deliver(OfferPaid, offerPaid(under, offerId));
}

/** BalanceCredited for an offer of the usual caller. */
export function credited(offerId: number, amountMinor: number): EventData<typeof BalanceCredited> {
  return {
    organisationId: 1,
    mode: 'TEST',
    currency: 'GBP',
    balanceMinor: '0',
    offerId,
    title: 'Two for one',
    amountMinor: `${amountMinor}`,
  };
}
