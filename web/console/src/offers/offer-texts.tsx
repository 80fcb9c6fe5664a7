/** What members read of an offer. */
import type { AdminOfferReply } from '@offer-ads/contracts/admin/offers-api';

export function OfferTexts({ offer }: { readonly offer: AdminOfferReply }) {
  return (
    <dl class="facts">
      <dt>Description</dt>
      <dd class="as-written">{offer.description}</dd>
      {offer.termsAndConditions !== '' && (
        <>
          <dt>Terms and conditions</dt>
          <dd class="as-written">{offer.termsAndConditions}</dd>
        </>
      )}
      <dt>Advertised by</dt>
      <dd>{offer.advertisedName}</dd>
      <dt>Leads to</dt>
      {/* Not a link, so that staff do not open an advertiser's page by mistake. */}
      <dd class="hash">{offer.url}</dd>
      <dt>Picture</dt>
      <dd class="hash">
        <a href={`/pictures/${offer.imageHash}`}>what moderation knows of it</a>
      </dd>
    </dl>
  );
}
