/** Where the offer is shown: circles that are set by a search, a saved place, on the map, by a slider, or by numbers. */

import { aroundText, milesText, nameNear, type Place } from '@offer-ads/contracts/places/cities';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { useRef, useState } from 'preact/hooks';
import { InputField } from '../../../../../../ui/field.tsx';
import { Later } from '../../../../../../ui/later.tsx';
import { useNearWindow } from '../../../../../../ui/near-window.ts';
import { useTownsNear } from '../../../../map/use-towns.ts';
import { coordinatesOf, placeOf } from '../draft.ts';
import type { FieldsProps } from '../form-texts.tsx';
import { More } from '../more.tsx';
import type { Estimate } from '../price/use-estimate.ts';
import { MapSources } from './map-sources.tsx';
import { PlaceList } from './place-list.tsx';
import { PlaceSearch } from './place-search.tsx';
import { addPlace, draftPlaceOf } from './places.ts';
import { SavedPlaceChips, SavePlace } from './saved-place-chips.tsx';

type TargetFieldsProps = FieldsProps & {
  readonly estimate: Estimate;
  /** Where the map is while the fields have no place. */
  readonly start: Place;
};

export function TargetFields({ draft, faults, set, start, estimate }: TargetFieldsProps) {
  const place = placeOf(draft);
  const shown = coordinatesOf(draft);
  // The map is large: it waits until the price has been asked for, and until it comes near the window.
  const map = useNearWindow<HTMLDivElement>(estimate.isFirstDone);
  const towns = useTownsNear(map.isNear ? shown : null);
  const nearby = shown === null || towns === null ? '' : nameNear(towns, shown);
  const search = useRef<HTMLDivElement>(null);
  const move = (to: Place, label = '') => set(draftPlaceOf(to, label));
  const coordinatesFault = draft.placeText === '' ? faults.place : undefined;
  /** From where the circle was moved on the map. */
  const [before, setBefore] = useState<Place | null>(null);
  const others = draft.otherPlaces.map(coordinatesOf).filter((each) => each !== null);
  // A place that was set on the map is called by its town in the list.
  const named = { ...draft, label: draft.label || (place === null ? '' : (nearby.split(',')[0] ?? '')) };
  const isOne = draft.otherPlaces.length === 0;
  return (
    <>
      <SavedPlaceChips draft={draft} set={set} mayLoad={estimate.isFirstDone} />
      <div ref={search}>
        <PlaceSearch
          key={draft.placeIndex}
          text={draft.placeText}
          setText={(placeText) => set({ placeText })}
          place={shown}
          nearby={draft.label || nearby}
          choose={(next, label) => {
            setBefore(null);
            move(next, label);
          }}
        />
      </div>
      <PlaceList
        draft={named}
        set={set}
        estimate={estimate}
        add={() => {
          if (place !== null) set(addPlace(named));
          setBefore(null);
          requestAnimationFrame(() => search.current?.querySelector('input')?.focus());
        }}
      >
        <SavePlace draft={named} set={set} />
      </PlaceList>
      <InputField
        label={`Radius${isOne ? '' : ' of each place'}: ${milesText(draft.radiusMiles)}`}
        fault={faults.radius}
        type="range"
        class="slider"
        min={offerLimits.radius.least}
        max={offerLimits.radius.most}
        step={1}
        value={draft.radiusMiles}
        aria-valuetext={milesText(draft.radiusMiles)}
        onInput={(event) => set({ radiusMiles: Number(event.currentTarget.value) })}
      />
      <div class="target" ref={map.part}>
        {map.isNear && (
          <Later what="The map" load={() => import('../../../../map/target-map.tsx')}>
            {({ TargetMap }) => (
              <TargetMap
                place={shown ?? others.at(-1) ?? start}
                others={others}
                radiusMiles={draft.radiusMiles}
                move={(next) => {
                  setBefore(shown);
                  move(next);
                }}
              />
            )}
          </Later>
        )}
      </div>
      <div class="row">
        <p class="hint">Tap the map to move the circle, or drag its centre.</p>
        {before !== null && (
          <button
            type="button"
            class="quiet small"
            onClick={() => {
              move(before);
              setBefore(null);
            }}
          >
            Undo the move
          </button>
        )}
      </div>
      {isOne && (
        <p aria-live="polite">
          {place === null
            ? 'No place yet.'
            : towns === null
              ? '\u00a0'
              : `Members see it ${aroundText(towns, place, draft.radiusMiles)}.`}
        </p>
      )}
      <More summary="Coordinates" attention={coordinatesFault ?? ''}>
        <div class="pair">
          <InputField
            label="Latitude"
            hint="Degrees; negative in the south."
            fault={coordinatesFault}
            {...degrees(draft.latitude, (latitude) => set({ placeText: '', label: '', latitude }))}
          />
          <InputField
            label="Longitude"
            hint="Degrees; negative in the west."
            {...degrees(draft.longitude, (longitude) => set({ placeText: '', label: '', longitude }))}
          />
        </div>
      </More>
      <MapSources />
    </>
  );
}

function degrees(value: string, set: (value: string) => void) {
  return {
    inputMode: 'text',
    autocomplete: 'off',
    value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
  } as const;
}
