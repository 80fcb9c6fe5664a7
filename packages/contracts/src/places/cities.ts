/** Towns, largest first: to search for a place, and to name one (GeoNames, CC BY 4.0). */
import { lazily } from '../values/lazily.ts';

export type City = {
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Code of the region if it consists of letters; '' otherwise. */
  readonly region: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Inhabitants, in thousands. */
  readonly thousands: number;
};

export type Place = { readonly latitude: number; readonly longitude: number };
export type Cities = readonly City[];

/** @param lines as web/map-data.ts makes them (`lineOf`) */
export function readCities(lines: string): Cities {
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const [name = '', country = '', region = '', latitude, longitude, thousands] = line.split('\t');
    return {
      name,
      country,
      region,
      latitude: Number(latitude) / 1_000,
      longitude: Number(longitude) / 1_000,
      thousands: Number(thousands),
    };
  });
}

const countries = lazily(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'code' }));

/** Names of regions whose codes are not in common use. Codes of the United States are in common use. */
const regions: Readonly<Record<string, string>> = {
  'GB ENG': 'England',
  'GB NIR': 'Northern Ireland',
  'GB SCT': 'Scotland',
  'GB WLS': 'Wales',
};

/** "Brighton, England, United Kingdom" */
export function nameOf({ name, region, country }: City): string {
  const where = regions[`${country} ${region}`] ?? region;
  return [name, where, countries().of(country) ?? country].filter((part) => part !== '').join(', ');
}

/** Letters that people type otherwise, and that have no form without an accent. */
const asTyped: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};

/** "munchen" for "München": the search ignores accents. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđðıßæœ]/g, (letter) => asTyped[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The first two letters of the words of a text, without accents. Words of one letter have none. */
export function beginningsOf(text: string): readonly string[] {
  const words = plain(text).split(' ');
  return [...new Set(words.map((word) => Array.from(word).slice(0, 2).join('')))].filter(
    (letters) => Array.from(letters).length === 2,
  );
}

/** @param country its towns come first */
export type CitySearch = (text: string, most: number, country: string) => readonly City[];

/**
 * Searches by beginnings of words in any order: "spring il" finds Springfield, IL. First the name itself, then names that begin with the
 * text, then the rest, of the country and after it of others; the larger town first in each group.
 */
export function searchIn(cities: Cities): CitySearch {
  // Computed once, because it takes a moment for thousands of names.
  const names = cities.map(({ name }) => plain(name));
  const wheres = new Map<string, string>();
  const whereOf = ({ country, region }: City) => {
    const key = `${country} ${region}`;
    const known = wheres.get(key) ?? plain(`${key} ${regions[key] ?? ''} ${countries().of(country) ?? ''}`);
    wheres.set(key, known);
    return known;
  };
  return (text, most, country) => {
    const wanted = plain(text);
    if (wanted === '') return [];
    const words = wanted.split(' ');
    const groups: City[][] = [[], [], [], [], [], []];
    for (const [index, city] of cities.entries()) {
      const name = names[index] ?? '';
      if (!fits(words, name, city)) continue;
      const group = name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
      groups[city.country === country ? group : group + 3]?.push(city);
    }
    return groups.flat().slice(0, most);
  };

  /** At least one word must match the name: a country alone is not enough. */
  function fits(words: readonly string[], name: string, city: City): boolean {
    if (!words.some((word) => hasWord(name, word))) return false;
    return words.every((word) => hasWord(name, word) || hasWord(whereOf(city), word));
  }
}

function hasWord(text: string, beginning: string): boolean {
  return text.startsWith(beginning) || text.includes(` ${beginning}`);
}

const KM_PER_MILE = 1.609344;
/** Mean radius of the earth; pricing counts members with the same value. */
const EARTH_MILES = 6_371.0088 / KM_PER_MILE;

export function milesBetween(a: Place, b: Place): number {
  const radians = Math.PI / 180;
  const sinLatitude = Math.sin(((b.latitude - a.latitude) * radians) / 2);
  const sinLongitude = Math.sin(((b.longitude - a.longitude) * radians) / 2);
  const h =
    sinLatitude ** 2 + Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * sinLongitude ** 2;
  return 2 * EARTH_MILES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Towns further away are not used to name a place. */
const FARTHEST_MILES = 40;

/** Null: there is no town near. */
export function nearestCity(cities: Cities, place: Place): City | null {
  let nearest: City | null = null;
  let miles = FARTHEST_MILES;
  for (const city of cities) {
    // A degree of latitude has the same length everywhere, so this excludes most towns quickly.
    if (Math.abs(city.latitude - place.latitude) > miles / 69) continue;
    const distance = milesBetween(city, place);
    if (distance < miles) {
      nearest = city;
      miles = distance;
    }
  }
  return nearest;
}

/** "10 miles (16 km)" */
export function milesText(miles: number): string {
  return `${miles} ${miles === 1 ? 'mile' : 'miles'} (${Math.round(miles * KM_PER_MILE)} km)`;
}

/** "10 miles around Croydon, England, United Kingdom" */
export function aroundText(cities: Cities, place: Place, radiusMiles: number): string {
  return `${radiusMiles} miles around ${nameNear(cities, place)}`;
}

/** The nearest town; the coordinates where there is none. */
export function nameNear(cities: Cities, place: Place): string {
  const city = nearestCity(cities, place);
  return city === null ? coordinatesText(place) : nameOf(city);
}

/** "51.507° N, 0.128° W" */
export function coordinatesText({ latitude, longitude }: Place): string {
  const part = (degrees: number, [above, below]: readonly [string, string]) =>
    `${Math.abs(degrees).toFixed(3)}° ${degrees < 0 ? below : above}`;
  return `${part(latitude, ['N', 'S'])}, ${part(longitude, ['E', 'W'])}`;
}

/** Parses "51.5, -0.12", as pasted from other maps; null when the text is something else. */
export function readCoordinates(text: string): Place | null {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  if (match === null) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}
