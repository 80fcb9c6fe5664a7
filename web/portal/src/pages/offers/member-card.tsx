/** A preview of how members see the offer: the square picture, the name, the texts. */
import { type OfferText, offerTextFacts, textRow } from '@offer-ads/contracts/values/offer-texts';
import { showsNothing } from '@offer-ads/contracts/values/shown-name';
import { usePortal } from '../../session.ts';

/** Those without a place of their own on the card. */
const furtherTexts = offerTextFacts.filter((text) => {
  const { isRequired, isTradingNameIfEmpty } = textRow(text);
  return !isRequired && !isTradingNameIfEmpty;
});

type MemberCardProps = {
  readonly draft: { readonly [Text in OfferText]: string };
  /** URL of the picture; null without a picture. */
  readonly picture: string | null;
  /** What stands in its place. */
  readonly otherwise?: string;
};

export function MemberCard({ draft, picture, otherwise = 'Your picture' }: MemberCardProps) {
  const { session } = usePortal();
  const name = showsNothing(draft.advertisedName) ? session.organisation.tradingName : draft.advertisedName;
  return (
    <figure class="member-card" aria-label="Preview of what members see">
      <div class="square">
        {picture === null ? (
          <span class="small muted">{otherwise}</span>
        ) : (
          <img src={picture} alt="The picture, cut to a square" />
        )}
      </div>
      <p class="small muted as-written">{name}</p>
      <p class="as-written">
        <strong>{draft.title === '' ? <span class="muted">Title</span> : draft.title}</strong>
      </p>
      <p class="small text-as-written">
        {draft.description === '' ? <span class="muted">Description</span> : draft.description}
      </p>
      {furtherTexts.map(
        (text) =>
          draft[text] !== '' && (
            <p key={text} class="small muted text-as-written">
              {draft[text]}
            </p>
          ),
      )}
    </figure>
  );
}
