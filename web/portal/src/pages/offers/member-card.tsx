/** A preview of how members see the offer: the square picture, the name, the texts. */
import { showsNothing } from '@offer-ads/contracts/values/shown-name';
import { usePortal } from '../../session.ts';
import type { Draft } from './new/draft.ts';

type MemberCardProps = {
  readonly draft: Draft;
  /** URL of the picture; null without a picture. */
  readonly picture: string | null;
  readonly measured: (width: number, height: number) => void;
  readonly unreadable: () => void;
};

export function MemberCard({ draft, picture, measured, unreadable }: MemberCardProps) {
  const { session } = usePortal();
  const name = showsNothing(draft.advertisedName) ? session.organisation.tradingName : draft.advertisedName;
  return (
    <figure class="member-card" aria-label="Preview of what members see">
      <div class="square">
        {picture === null ? (
          <span class="small">1080 × 1080</span>
        ) : (
          <img
            src={picture}
            alt="The chosen picture, cut to a square"
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              measured(naturalWidth, naturalHeight)
            }
            onError={unreadable}
          />
        )}
      </div>
      <p class="small muted as-written">{name}</p>
      <p class="as-written">
        <strong>{draft.title === '' ? 'Title' : draft.title}</strong>
      </p>
      <p class="small text-as-written">{draft.description === '' ? 'Description' : draft.description}</p>
      {draft.terms !== '' && <p class="small muted text-as-written">{draft.terms}</p>}
    </figure>
  );
}
