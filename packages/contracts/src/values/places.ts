/**
 * The places of an offer group: its rules, for services and pages (decision 270, offer groups). Without schemas, because pages use them too.
 */
import { offerTexts } from './offer-texts.ts';
import { turnsReading } from './shown-name.ts';

export type Place = { readonly latitude: number; readonly longitude: number; readonly label: string | null };
/** With values that only its offer has, by the names of `ownNames`. */
export type PlaceWithOwn = Place & { readonly own: OwnValues };
export type OwnValues = ReadonlyMap<string, readonly string[]>;

/** Fields of POST /offers that a place of a new group may have for itself. They take the place of those of the form. */
export const ownNames = [
  'category_id',
  ...Object.values(offerTexts).map(({ field }) => field),
  'url',
  'radius',
  'gender',
  'interests',
  'start_datetime',
  'expiry_datetime',
  'quote_id',
  'image_offer_id',
  'image',
] as const;
/** Between the values of a list in a cell of a CSV file. */
export const CSV_LIST = '|';
export const listNames: readonly string[] = ['gender', 'interests'];

export const placeLimits = { most: 20, labelAtMost: 80 } as const;
export const placesRule = `must be a list of 1 to ${placeLimits.most} places, such as [{"latitude": 51.5074, "longitude": -0.1278, "label": "Soho"}]`;

/** Positions are compared by ten thousandths of a degree, about ten metres: nearer ones are one place given twice. */
const PER_DEGREE = 10_000;
const names: readonly string[] = ['latitude', 'longitude', 'label'];

/** A place as messages name it. */
export function placeName(index: number, label: string | null): string {
  return label === null ? `places[${index}]` : `places[${index}] "${label}"`;
}

/**
 * @param given what the JSON of a caller holds
 * @param own the names of the values that a place may have for itself
 */
export function readPlaces(
  given: unknown,
  own: readonly string[] = [],
):
  | { readonly ok: true; readonly value: readonly PlaceWithOwn[] }
  | { readonly ok: false; readonly faults: readonly string[] } {
  if (!Array.isArray(given) || given.length < 1 || given.length > placeLimits.most)
    return { ok: false, faults: [`places ${placesRule}`] };
  const faults = given.flatMap((place: unknown, index) =>
    faultsOf(place, own).map((fault) => `places[${index}]${fault}`),
  );
  if (faults.length > 0) return { ok: false, faults };
  const places = (given as Record<string, unknown>[]).map(
    (place): PlaceWithOwn => ({
      latitude: place['latitude'] as number,
      longitude: place['longitude'] as number,
      label: place['label'] === undefined || place['label'] === '' ? null : (place['label'] as string | null),
      own: ownValuesOf(place),
    }),
  );
  const seen = new Map<string, number>();
  const twice = places.flatMap((place, index) => {
    const key = sameOfferKey(place);
    const first = seen.get(key);
    seen.set(key, first ?? index);
    return first === undefined ? [] : [`places[${index}] is the same place as places[${first}]`];
  });
  return twice.length === 0 ? { ok: true, value: places } : { ok: false, faults: twice };
}

/** Also of a place that has faults. */
export function ownValuesOf(place: unknown): OwnValues {
  const values = Object.entries(typeof place === 'object' && place !== null ? place : {});
  return new Map(
    values.flatMap(([name, value]: [string, unknown]) =>
      !names.includes(name) && isOwnValue(name, value) ? [[name, textsOf(value)] as const] : [],
    ),
  );
}

function sameOfferKey({ latitude, longitude, own }: PlaceWithOwn): string {
  const others = [...own].filter(([name]) => name !== 'quote_id').toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    ...[latitude, longitude].map((degrees) => Math.round(degrees * PER_DEGREE)),
    others,
  ]);
}

function textsOf(value: unknown): readonly string[] {
  return [value ?? []].flat().map(String);
}

function isOwnValue(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return listNames.includes(name) && value.every((each) => isOwnValue('', each));
  return (
    (value === null && name !== '') ||
    Number.isFinite(value) ||
    (typeof value === 'string' && value.isWellFormed())
  );
}

function faultsOf(place: unknown, own: readonly string[]): readonly string[] {
  if (typeof place !== 'object' || place === null || Array.isArray(place)) return [' must be an object'];
  const { latitude, longitude, label, ...others } = place as Record<string, unknown>;
  const unknown = Object.keys(others).filter((name) => !own.includes(name));
  return [
    ...(isAngle(latitude, 90) ? [] : ['.latitude must be a number from -90 to 90']),
    ...(isAngle(longitude, 180) ? [] : ['.longitude must be a number from -180 to 180']),
    ...(isLabel(label)
      ? []
      : [
          `.label must be a text of at most ${placeLimits.labelAtMost} characters without line breaks and HTML`,
        ]),
    // A reply does not grow with the names that somebody makes up.
    ...unknown
      .slice(0, 3)
      .map((name) => `.${name.slice(0, 40)} is not known, a place has ${[...names, ...own].join(', ')}`),
    ...own
      .filter((name) => name in others && !isOwnValue(name, others[name]))
      .map(
        (name) =>
          `.${name} must be a text or a number${listNames.includes(name) ? ', or a list of them' : ''}`,
      ),
  ];
}

function isAngle(value: unknown, most: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= most;
}

function isLabel(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (
    typeof value === 'string' &&
    value.isWellFormed() &&
    Array.from(value).length <= placeLimits.labelAtMost &&
    !/[<>\p{Cc}\u2028\u2029]/u.test(value) &&
    !turnsReading(value)
  );
}
