/** Postcodes, as people type them in the countries of the billed currencies. The position is that of a district, a sector or a part of a town. */
import type { City, Place } from './cities.ts';

/** By country and code ("GB BN1 1", "US 10001"). A code that is not there may be stored by its beginning. */
export type Postcodes = ReadonlyMap<string, Place>;

/** @param lines as web/map-data.ts makes them (`postcodeLists`) */
export function readPostcodes(lines: string): Postcodes {
  const places = new Map<string, Place>();
  for (const line of lines.split('\n')) {
    const [country = '', codes = ''] = line.split('\t');
    for (const entry of codes.split(',')) {
      const [code = '', latitude, longitude] = entry.split(';');
      places.set(`${country} ${code}`, {
        latitude: Number(latitude) / 100,
        longitude: Number(longitude) / 100,
      });
    }
  }
  return places;
}

/** The forms of whole codes, without spaces and hyphens. In the United States the last four figures name a street. */
const forms: readonly (readonly [form: RegExp, countries: string])[] = [
  [/^\d{4}$/, 'AT AU BE BG CH CY DK HU LI LU LV NO NZ PH SI ZA'],
  [/^\d{5}$/, 'AX CZ DE EE ES FI FR GF GP HR ID IT LT MC MQ MX MY PL RE SE SK SM TH VA YT'],
  [/^\d{5}(\d{4})?$/, 'GU PR US VI'],
  [/^\d{6}$/, 'IN RO SG'],
  [/^\d{4}([A-Z]{2})?$/, 'NL'],
  [/^\d{4}(\d{3})?$/, 'PT'],
  [/^[A-Z]\d[A-Z](\d[A-Z]\d)?$/, 'CA'],
  [/^[A-Z]\d[\dW]([A-Z\d]{4})?$/, 'IE'],
  [/^[A-Z]{3}\d{4}$/, 'MT'],
  [/^AD\d{3}$/, 'AD'],
];

/** District, sector and unit: "BN1", "BN1 1", "BN1 1AA". Without a space "BN11" is a district. */
const british = /^([A-Z]{1,2}\d[A-Z\d]?) ?((\d)[A-Z]{0,2})?$/;

type Meant = {
  /** As it is shown. */
  readonly written: string;
  readonly countries: readonly string[];
  /** Under which it may be stored, the most exact first. */
  readonly keys: readonly string[];
};

/** What a text may mean as a postcode; empty if it is none. */
export function meantBy(text: string): readonly Meant[] {
  const written = text.trim().toUpperCase().replace(/\s+/g, ' ');
  // Some write the country before the code: D-10115, L-4968.
  const code = written.replace(/^[A-Z]{1,2}-(?=\d)/, '').replace(/[ -]/g, '');
  const meant: Meant[] = forms
    .filter(([form]) => form.test(code))
    .map(([, countries]) => ({ written, countries: countries.split(' '), keys: beginningsOf(code) }));
  const [, district = '', inward, sector] = british.exec(written) ?? [];
  if (district !== '')
    meant.push({
      written: inward === undefined ? district : `${district} ${inward}`,
      countries: ['GB', 'GG', 'IM', 'JE'],
      keys: sector === undefined ? [district] : [`${district} ${sector}`, district],
    });
  return meant;
}

/** "10115", "1011", "101" and "10". */
function beginningsOf(code: string): string[] {
  return Array.from({ length: code.length - 1 }, (_, cut) => code.slice(0, code.length - cut));
}

/** The name of the list in which a code is. */
export function listOf(code: string): string {
  return code.slice(0, 2);
}

export function findPostcode(postcodes: Postcodes, { written, countries, keys }: Meant): readonly City[] {
  return countries.flatMap((country) => {
    const key = keys.find((each) => postcodes.has(`${country} ${each}`));
    const place = key === undefined ? undefined : postcodes.get(`${country} ${key}`);
    return place === undefined ? [] : [{ ...place, name: written, country, region: '', thousands: 0 }];
  });
}
