/** The places of a draft. It usually has one; each of several gets an offer of its own. */
import type { Place } from '@offer-ads/contracts/places/cities';
import type { SavedPlace } from '@offer-ads/contracts/portal/organisation-api';
import { type Draft, type DraftPlace, placeOf, placesOf, samePlaceKey } from '../draft.ts';

const nowhere: DraftPlace = { label: '', placeText: '', latitude: '', longitude: '' };

type Places = Pick<Draft, keyof DraftPlace | 'otherPlaces' | 'placeIndex'>;

function placesWith(all: readonly DraftPlace[], placeIndex: number): Places {
  return { ...(all[placeIndex] ?? nowhere), otherPlaces: all.toSpliced(placeIndex, 1), placeIndex };
}

/** The fields have this place from now on. */
export function selectPlace(draft: Draft, index: number): Places {
  return placesWith(placesOf(draft), index);
}

export function addPlace(draft: Draft, place: DraftPlace = nowhere): Places {
  const all = [...placesOf(draft), place];
  return placesWith(all, all.length - 1);
}

/** The last one leaves a draft without a place. */
export function removePlace(draft: Draft, index: number): Places {
  const left = placesOf(draft).toSpliced(index, 1);
  const { placeIndex } = draft;
  const next = index < placeIndex || placeIndex === left.length ? placeIndex - 1 : placeIndex;
  return placesWith(left, Math.max(0, next));
}

export function draftPlaceOf(place: Place, label: string): DraftPlace {
  return {
    label,
    placeText: '',
    latitude: String(place.latitude),
    longitude: String(place.longitude),
  };
}

/** The index of the same place; -1 if there is none. */
export function indexOfPlace(draft: Draft, wanted: Place): number {
  return placesOf(draft).findIndex((each) => {
    const place = placeOf(each);
    return place !== null && samePlaceKey(place) === samePlaceKey(wanted);
  });
}

/**
 * A saved place fills the fields if they have none, or one that is not saved and alone. Otherwise it is added. Its radius counts only while
 * it is alone, because all places have the same one.
 */
export function savedPlaceChosen(
  draft: Draft,
  chosen: SavedPlace,
  saved: readonly SavedPlace[],
): Partial<Draft> {
  const place = draftPlaceOf(chosen, chosen.name);
  const isAlone = draft.otherPlaces.length === 0 && !saved.some((each) => indexOfPlace(draft, each) === 0);
  if (isAlone) return { ...place, radiusMiles: chosen.radiusMiles ?? draft.radiusMiles };
  return placeOf(draft) === null ? place : addPlace(draft, place);
}
