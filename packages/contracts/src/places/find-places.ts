/** Finds what people type as a place: a postcode, a town, a part of a town, or an address with one of these. */
import {
  beginningsOf,
  type Cities,
  type City,
  milesBetween,
  nameOf,
  readCities,
  searchIn,
} from './cities.ts';
import { findPostcode, listOf, meantBy, type Postcodes, readPostcodes } from './postcodes.ts';

export type PlaceLists = {
  /** All towns that can fit the text, the largest first. */
  readonly townsFor: (text: string) => Promise<Cities>;
  /** @param name as `listOf` makes it */
  readonly postcodes: (name: string) => Promise<Postcodes>;
};

/** People type a town and its country; more words would load more lists. */
const MOST_LISTS = 4;

/** Loads the text of a list; '' if there is none of this name. */
export type LoadList = (name: string) => Promise<string>;

/** @param o loads lists as web/map-data.ts makes them (`townLists`, `postcodeLists`); each is loaded once, and again after a failure */
export function placeLists(o: { readonly towns: LoadList; readonly postcodes: LoadList }): PlaceLists {
  const townList = once(async (letters): Promise<Cities> => readCities(await o.towns(letters)));
  return {
    townsFor: async (text) => {
      const lists = await Promise.all(beginningsOf(text).slice(0, MOST_LISTS).map(townList));
      const [first = [], ...others] = lists;
      if (others.length === 0) return first;
      const towns = new Map<string, City>();
      for (const town of lists.flat()) towns.set(`${nameOf(town)} ${town.latitude} ${town.longitude}`, town);
      return [...towns.values()].toSorted((a, b) => b.thousands - a.thousands);
    },
    postcodes: once(async (name) => readPostcodes(await o.postcodes(name))),
  };
}

function once<T>(load: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (name) => {
    const loading = known.get(name) ?? load(name);
    known.set(name, loading);
    loading.catch(() => known.delete(name));
    return loading;
  };
}

/** The name of the file of a list for programs: names of lists have letters of all alphabets. */
export function listFile(kind: 'towns' | 'postcodes', name: string): string {
  return `${kind}-${[...new TextEncoder().encode(name)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}.txt`;
}

export type Wanted = {
  readonly text: string;
  /** Its places come before those of other countries. */
  readonly country: string;
  readonly most: number;
};

export type FoundPlaces = {
  readonly places: readonly City[];
  /** The text is a postcode of the country: there is nothing to choose. */
  readonly postcode: City | null;
};

/** Of "12 Dean Street, Soho, London" only Soho is known: the text is shortened from its beginning until something is found. */
export async function findPlaces(lists: PlaceLists, { text, country, most }: Wanted): Promise<FoundPlaces> {
  const codes = await postcodesOf(text);
  for (const [index, part] of endsOf(text).entries()) {
    const places = [...(index === 0 ? codes : []), ...(await townsOf(part))];
    const found = places.length > 0 ? places : await partsOf(part);
    if (found.length > 0)
      return {
        places: found.slice(0, most),
        postcode: codes.find((code) => code.country === country) ?? null,
      };
  }
  return { places: [], postcode: null };

  async function postcodesOf(code: string): Promise<readonly City[]> {
    const found = await Promise.all(
      meantBy(code).map(async (meant) =>
        findPostcode(await lists.postcodes(listOf(meant.keys[0] ?? '')), meant),
      ),
    );
    const isOurs = (place: City) => Number(place.country === country);
    return found.flat().toSorted((a, b) => isOurs(b) - isOurs(a));
  }

  async function townsOf(name: string): Promise<readonly City[]> {
    return searchIn(await lists.townsFor(name))(name, most, country);
  }

  /** "Brighton BN1 1AA", "10115 Berlin", "Soho, London" and "Soho London". */
  async function partsOf(part: string): Promise<readonly City[]> {
    const atEnd = /^.*[\s,]([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{5}(?:-\d{4})?)$/i.exec(part);
    const ending = await postcodesOf(atEnd?.[1] ?? '');
    if (ending.length > 0) return ending;
    const [, code, town] = /^(\d{4,6}|\d{3} \d{2}) (\D.*)$/.exec(part) ?? [];
    if (code !== undefined && town !== undefined) {
      const towns = await townsOf(town);
      // Without a town the figures are the number of a house.
      return towns.length === 0 ? [] : near(await postcodesOf(code), towns);
    }
    const [, area, rest] = /^(.+?), *(.+)$/.exec(part) ?? /^(.+) (\S+)$/.exec(part) ?? [];
    if (area === undefined || rest === undefined) return [];
    return near(await townsOf(area), await townsOf(rest));
  }
}

/** The text, and what follows each comma. */
function endsOf(text: string): readonly string[] {
  const parts = text.trim().split(/ *, */);
  return parts.map((_, index) => parts.slice(index).join(', '));
}

/** Parts of a town are within this distance of its middle. */
const TOWN_MILES = 30;

function near(places: readonly City[], towns: readonly City[]): readonly City[] {
  return places.filter((place) => towns.some((town) => milesBetween(place, town) <= TOWN_MILES));
}
