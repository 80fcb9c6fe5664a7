import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { usePortal } from '../../../session.ts';
import { documentAddress, useInvoicesOf } from '../../money/money-data.ts';

/**
 * The invoice of a card payment and credit notes, for those who may read them; null where there are none. Offers that were ordered together
 * have one invoice.
 */
export function useInvoiceLinks(offer: PortalOffer | undefined) {
  const { mode, may } = usePortal();
  const isInvoiced = offer?.payment_method === 'E' && offer.paid_datetime !== null;
  const { data } = useInvoicesOf(offer?.offer_id ?? 0, { enabled: isInvoiced && may('billing') });
  if (data === undefined || data.invoices.length === 0) return null;
  return data.invoices.map(({ number }) => (
    <a key={number} href={documentAddress(mode, `${number}.html`)} target="_blank" rel="noreferrer">
      {number}
    </a>
  ));
}
