/** The lists for the search: of towns for each two letters with which a word of a name begins, and of postcodes by theirs. */
import postcodeLoaders from 'virtual:map-data/postcode-lists';
import townLoaders from 'virtual:map-data/town-lists';
import {
  type FoundPlaces,
  findPlaces,
  placeLists,
  type Wanted,
} from '@offer-ads/contracts/places/find-places';

export function placesFor(wanted: Wanted): Promise<FoundPlaces> {
  return findPlaces(lists, wanted);
}

const lists = placeLists({
  towns: async (letters) => (await townLoaders[letters]?.())?.default ?? '',
  postcodes: async (name) => (await postcodeLoaders[name]?.())?.default ?? '',
});
