/** The circle of the offer, set by a search, on the map, by a slider, or by numbers. */

import { aroundText, milesText, nameNear, type Place } from '@offer-ads/contracts/places/cities';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { useState } from 'preact/hooks';
import { InputField } from '../../../../../ui/field.tsx';
import { Later } from '../../../../../ui/later.tsx';
import { useNearWindow } from '../../../../../ui/near-window.ts';
import { useTownsNear } from '../../../map/use-towns.ts';
import { coordinatesOf, placeOf } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';
import { MapSources } from './map-sources.tsx';
import { More } from './more.tsx';
import { PlaceSearch } from './place-search.tsx';

type TargetFieldsProps = FieldsProps & {
  /** Where the map is while the fields have no place. */
  readonly start: Place;
  /** The map is large: it waits until the price has been asked for, and until it comes near the window. */
  readonly mayLoadMap: boolean;
};

export function TargetFields({ draft, faults, set, start, mayLoadMap }: TargetFieldsProps) {
  const place = placeOf(draft);
  const shown = coordinatesOf(draft);
  const map = useNearWindow<HTMLDivElement>(mayLoadMap);
  const towns = useTownsNear(map.isNear ? shown : null);
  const move = ({ latitude, longitude }: Place) =>
    set({ placeText: '', latitude: String(latitude), longitude: String(longitude) });
  const coordinatesFault = draft.placeText === '' ? faults.place : undefined;
  /** From where the circle was moved on the map. */
  const [before, setBefore] = useState<Place | null>(null);
  return (
    <>
      <PlaceSearch
        text={draft.placeText}
        setText={(placeText) => set({ placeText })}
        place={shown}
        nearby={shown === null || towns === null ? '' : nameNear(towns, shown)}
        choose={(next) => {
          setBefore(null);
          move(next);
        }}
      />
      <InputField
        label={`Radius: ${milesText(draft.radiusMiles)}`}
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
          <Later what="The map" load={() => import('../../../map/target-map.tsx')}>
            {({ TargetMap }) => (
              <TargetMap
                place={shown ?? start}
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
      <p aria-live="polite">
        {place === null
          ? 'No place yet.'
          : towns === null
            ? '\u00a0'
            : `Members see it ${aroundText(towns, place, draft.radiusMiles)}.`}
      </p>
      <More summary="Coordinates" attention={coordinatesFault ?? ''}>
        <div class="pair">
          <InputField
            label="Latitude"
            hint="Degrees; negative in the south."
            fault={coordinatesFault}
            {...degrees(draft.latitude, (latitude) => set({ placeText: '', latitude }))}
          />
          <InputField
            label="Longitude"
            hint="Degrees; negative in the west."
            {...degrees(draft.longitude, (longitude) => set({ placeText: '', longitude }))}
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
