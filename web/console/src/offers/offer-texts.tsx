/** What members read of an offer. */
import type { AdminOfferReply } from '@offer-ads/contracts/admin/offers-api';
import { offerTextFacts, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { Fragment } from 'preact';

/** The title is above them. */
const furtherTexts = offerTextFacts.filter((text) => text !== 'title');

export function OfferTexts({ offer }: { readonly offer: AdminOfferReply }) {
  return (
    <dl class="facts">
      {furtherTexts.map(
        (text) =>
          offer[text] !== '' && (
            <Fragment key={text}>
              <dt>{offerTexts[text].label}</dt>
              <dd class="as-written">{offer[text]}</dd>
            </Fragment>
          ),
      )}
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
