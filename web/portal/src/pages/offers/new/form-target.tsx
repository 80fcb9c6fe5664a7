/** The circle of the offer, set by a search, on the map, by a slider, or by numbers. */
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { useEffect } from 'preact/hooks';
import { Field } from '../../../../../ui/field.tsx';
import { Later } from '../../../../../ui/later.tsx';
import { aroundText, type Place } from '../../../map/cities.ts';
import { useCities } from '../../../map/use-cities.ts';
import { usePortal } from '../../../session.ts';
import { placeOf } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';
import { MapSources } from './map-sources.tsx';
import { PlaceSearch } from './place-search.tsx';

/** The start of the map if no town of the organisation's country is known. */
const somewhere: Place = { latitude: 51.5074, longitude: -0.1278 };

export function TargetFields({ draft, faults, set }: FieldsProps) {
  const { country } = usePortal().session.organisation;
  const cities = useCities();
  const place = placeOf(draft);
  const move = ({ latitude, longitude }: Place) =>
    set({ latitude: String(latitude), longitude: String(longitude) });

  const isNowhere = draft.latitude === '' && draft.longitude === '';
  // The initial place: the largest town of the organisation's country.
  useEffect(() => {
    if (cities === null || !isNowhere) return;
    move(cities.find((city) => city.country === country) ?? somewhere);
  }, [cities, isNowhere]);

  return (
    <>
      <PlaceSearch cities={cities} choose={move} />
      <div class="target">
        <Later what="The map" load={() => import('../../../map/target-map.tsx')}>
          {({ TargetMap }) => (
            <TargetMap place={place ?? somewhere} radiusMiles={draft.radiusMiles} move={move} />
          )}
        </Later>
      </div>
      <MapSources />
      <p aria-live="polite">
        {place === null
          ? 'No place yet.'
          : cities === null
            ? ' '
            : `Shown ${aroundText(cities, place, draft.radiusMiles)}.`}
      </p>
      <Field label={`Radius: ${draft.radiusMiles} miles`} fault={faults.radius}>
        {(described) => (
          <input
            {...described}
            type="range"
            class="slider"
            min={offerLimits.radius.least}
            max={offerLimits.radius.most}
            step={1}
            value={draft.radiusMiles}
            aria-valuetext={`${draft.radiusMiles} miles`}
            onInput={(event) => set({ radiusMiles: Number(event.currentTarget.value) })}
          />
        )}
      </Field>
      <div class="pair">
        <Field label="Latitude" hint="Degrees; negative in the south." fault={faults.place}>
          {(described) => (
            <input {...described} {...degrees(draft.latitude, (latitude) => set({ latitude }))} />
          )}
        </Field>
        <Field label="Longitude" hint="Degrees; negative in the west.">
          {(described) => (
            <input {...described} {...degrees(draft.longitude, (longitude) => set({ longitude }))} />
          )}
        </Field>
      </div>
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
