/** A preview of how members see the offer: the square picture, the name, the texts. */
import { showsNothing } from '@offer-ads/contracts/values/shown-name';
import { usePortal } from '../../session.ts';
import type { Draft } from './new/draft.ts';

type MemberCardProps = {
  readonly draft: Pick<Draft, 'advertisedName' | 'title' | 'description' | 'terms'>;
  /** URL of the picture; null without a picture. */
  readonly picture: string | null;
};

export function MemberCard({ draft, picture }: MemberCardProps) {
  const { session } = usePortal();
  const name = showsNothing(draft.advertisedName) ? session.organisation.tradingName : draft.advertisedName;
  return (
    <figure class="member-card" aria-label="Preview of what members see">
      <div class="square">
        {picture === null ? (
          <span class="small muted">Your picture</span>
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
      {draft.terms !== '' && <p class="small muted text-as-written">{draft.terms}</p>}
    </figure>
  );
}
