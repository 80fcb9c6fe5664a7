import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { badgeOf, isWithheld } from './standing.ts';

export function StateBadges({
  offer,
}: {
  readonly offer: Pick<PortalOffer, 'offer_status' | 'status' | 'deleted_datetime'>;
}) {
  return (
    <span class="badges">
      {offer.deleted_datetime !== null ? (
        <span class="badge muted">Deleted</span>
      ) : isWithheld(offer) ? (
        <span class="badge problem">Disabled by the platform</span>
      ) : (
        <span class={`badge ${badgeOf(offer.offer_status)}`}>{offer.offer_status}</span>
      )}
    </span>
  );
}
