/** The places of the offer, once there are several: each with its members and its price. */
import { coordinatesText } from '@offer-ads/contracts/places/cities';
import { placeLimits } from '@offer-ads/contracts/values/places';
import { Plus, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../../../../../ui/icon.tsx';
import { useAmounts, useFigures } from '../../../../amounts/amounts.ts';
import { type DraftPlace, placeOf, placesOf } from '../draft.ts';
import type { FieldsProps } from '../form-texts.tsx';
import type { Estimate, PlaceEstimate } from '../price/use-estimate.ts';
import { removePlace, selectPlace } from './places.ts';

type PlaceListProps = Pick<FieldsProps, 'draft' | 'set'> & {
  readonly estimate: Estimate;
  readonly add: () => void;
  /** More buttons. */
  readonly children: ComponentChildren;
};

export function PlaceList({ draft, set, estimate, add, children }: PlaceListProps) {
  const places = placesOf(draft);
  let priced = 0;
  return (
    <>
      {places.length > 1 && (
        <ol class="place-list" aria-label="Places" data-waiting={estimate.isOld}>
          {places.map((place, index) => {
            const name = place.label || placeName(place);
            const has = placeOf(place) !== null;
            return (
              <li key={index} data-current={index === draft.placeIndex}>
                <button
                  type="button"
                  class="plain"
                  aria-current={index === draft.placeIndex ? 'true' : undefined}
                  onClick={() => set(selectPlace(draft, index))}
                >
                  <span class="as-written">{name}</span>
                </button>
                <PlacePrice of={has ? estimate.places?.[priced++] : undefined} isChosen={has} />
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove ${name}`}
                  onClick={() => set(removePlace(draft, index))}
                >
                  <Icon of={X} />
                </button>
              </li>
            );
          })}
        </ol>
      )}
      <div class="row">
        {places.length < placeLimits.most ? (
          <button type="button" class="quiet small" onClick={add}>
            <Icon of={Plus} /> Add another place
          </button>
        ) : (
          <p class="hint">These are the {placeLimits.most} places that fit into one order.</p>
        )}
        {children}
      </div>
    </>
  );
}

type PlacePriceProps = {
  readonly of: PlaceEstimate | undefined;
  readonly isChosen: boolean;
};

function PlacePrice({ of, isChosen }: PlacePriceProps) {
  const amount = useAmounts();
  const { countText } = useFigures();
  if (!isChosen) return <span class="small muted">Choose a place above</span>;
  if (of === undefined) return <span class="small muted">…</span>;
  if (of.members === 0)
    return <span class="small fault">No members: move it, enlarge the radius, or remove it</span>;
  return (
    <span class="small muted">
      {countText(of.members)} {of.members === 1 ? 'member' : 'members'}
      {of.costMinor !== null && ` · ${amount(of.costMinor)}`}
    </span>
  );
}

function placeName(place: DraftPlace): string {
  const at = placeOf(place);
  return at === null ? 'New place' : coordinatesText(at);
}
