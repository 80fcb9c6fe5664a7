import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { badgeOf } from './standing.ts';

export function StateBadges({ offer }: { readonly offer: Pick<PortalOffer, 'offer_status' | 'status'> }) {
  return (
    <span class="badges">
      <span class={`badge ${badgeOf(offer.offer_status)}`}>{offer.offer_status}</span>
      {offer.status === 'disabled' && <span class="badge problem">Disabled by the platform</span>}
    </span>
  );
}
