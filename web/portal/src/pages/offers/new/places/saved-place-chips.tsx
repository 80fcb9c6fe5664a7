/** The saved places to choose from, and saving the place of the form. */
import { useState } from 'preact/hooks';
import { DialogForm } from '../../../../../../ui/dialog-form.tsx';
import { textOf } from '../../../../../../ui/form.tsx';
import { useChangePlaces, useSavedPlaces } from '../../../../saved-places.ts';
import { PlaceNameField } from '../../../settings/place-name-field.tsx';
import { placeOf } from '../draft.ts';
import type { FieldsProps } from '../form-texts.tsx';
import { indexOfPlace, removePlace, savedPlaceChosen } from './places.ts';

type ChipsProps = Pick<FieldsProps, 'draft' | 'set'> & {
  /** The price is asked for before anything else. */
  readonly mayLoad: boolean;
};

export function SavedPlaceChips({ draft, set, mayLoad }: ChipsProps) {
  const places = useSavedPlaces({ enabled: mayLoad }).data?.places ?? [];
  if (places.length === 0) return null;
  return (
    <fieldset>
      <legend>Saved places</legend>
      <div class="chips saved-places">
        {places.map((place) => {
          const index = indexOfPlace(draft, place);
          return (
            <label key={place.id} class="chip">
              <input
                type="checkbox"
                checked={index >= 0}
                onChange={() =>
                  set(index >= 0 ? removePlace(draft, index) : savedPlaceChosen(draft, place, places))
                }
              />
              <span class="as-written">{place.name}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** A button for the place of the fields, unless it is saved already. */
export function SavePlace({ draft, set }: Pick<FieldsProps, 'draft' | 'set'>) {
  const saved = useSavedPlaces({ enabled: false }).data?.places;
  const { save } = useChangePlaces();
  const [isOpen, setOpen] = useState(false);
  const place = placeOf(draft);
  const isSaved = saved?.some(
    (each) => indexOfPlace({ ...draft, otherPlaces: [], placeIndex: 0 }, each) === 0,
  );
  if (place === null || saved === undefined || isSaved) return null;
  return (
    <>
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>
        Save this place
      </button>
      {isOpen && (
        <DialogForm
          title="Save this place"
          submit="Save the place"
          send={async (values) => {
            const name = textOf(values, 'name');
            const fault = await save({ name, ...place, radiusMiles: draft.radiusMiles });
            if (fault !== null) return fault;
            set({ label: name });
            setOpen(false);
            return null;
          }}
          close={() => setOpen(false)}
        >
          <PlaceNameField value={draft.label} />
        </DialogForm>
      )}
    </>
  );
}
