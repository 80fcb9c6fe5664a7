/** The lists for the search: of towns for each two letters with which a word of a name begins, and of postcodes by theirs. */
import postcodeLoaders from 'virtual:map-data/postcode-lists';
import townLoaders from 'virtual:map-data/town-lists';
import { beginningsOf, type Cities, type City, nameOf, readCities } from './cities.ts';
import { type FoundPlaces, findPlaces, type PlaceLists, type Wanted } from './find-places.ts';
import { readPostcodes } from './postcodes.ts';

/** People type a town and its country; more words would load more lists. */
const MOST_LISTS = 4;

export function placesFor(wanted: Wanted): Promise<FoundPlaces> {
  return findPlaces(lists, wanted);
}

const lists: PlaceLists = {
  townsFor: async (text) => {
    const lists = await Promise.all(beginningsOf(text).slice(0, MOST_LISTS).map(townList));
    const [first = [], ...others] = lists;
    if (others.length === 0) return first;
    const towns = new Map<string, City>();
    for (const town of lists.flat()) towns.set(`${nameOf(town)} ${town.latitude} ${town.longitude}`, town);
    return [...towns.values()].toSorted((a, b) => b.thousands - a.thousands);
  },
  postcodes: once(async (name) => readPostcodes((await postcodeLoaders[name]?.())?.default ?? '')),
};

const townList = once(
  async (letters): Promise<Cities> => readCities((await townLoaders[letters]?.())?.default ?? ''),
);

/** Loads each list once, and again after a failure. */
function once<T>(load: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (name) => {
    const loading = known.get(name) ?? load(name);
    known.set(name, loading);
    loading.catch(() => known.delete(name));
    return loading;
  };
}
