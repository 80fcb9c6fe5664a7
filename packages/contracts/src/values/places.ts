/**
 * The places of an offer group: its rules, for services and pages (decision 270, offer groups). Without schemas, because pages use them too.
 */
import { turnsReading } from './shown-name.ts';

export type Place = { readonly latitude: number; readonly longitude: number; readonly label: string | null };

export const placeLimits = { most: 20, labelAtMost: 80 } as const;
export const placesRule = `must be a list of 1 to ${placeLimits.most} places, such as [{"latitude": 51.5074, "longitude": -0.1278, "label": "Soho"}]`;

/** Positions are compared by ten thousandths of a degree, about ten metres: nearer ones are one place given twice. */
const PER_DEGREE = 10_000;
const names: readonly string[] = ['latitude', 'longitude', 'label'];

/** A place as messages name it. */
export function placeName(index: number, label: string | null): string {
  return label === null ? `places[${index}]` : `places[${index}] "${label}"`;
}

/** @param given what the JSON of a caller holds */
export function readPlaces(
  given: unknown,
):
  | { readonly ok: true; readonly value: readonly Place[] }
  | { readonly ok: false; readonly faults: readonly string[] } {
  if (!Array.isArray(given) || given.length < 1 || given.length > placeLimits.most)
    return { ok: false, faults: [`places ${placesRule}`] };
  const faults = given.flatMap((place: unknown, index) =>
    faultsOf(place).map((fault) => `places[${index}]${fault}`),
  );
  if (faults.length > 0) return { ok: false, faults };
  const places = (given as Record<string, unknown>[]).map(
    ({ latitude, longitude, label }): Place => ({
      latitude: latitude as number,
      longitude: longitude as number,
      label: label === undefined || label === '' ? null : (label as string | null),
    }),
  );
  const seen = new Map<string, number>();
  const twice = places.flatMap((place, index) => {
    const position = [place.latitude, place.longitude]
      .map((degrees) => Math.round(degrees * PER_DEGREE))
      .join();
    const first = seen.get(position);
    seen.set(position, first ?? index);
    return first === undefined ? [] : [`places[${index}] is the same place as places[${first}]`];
  });
  return twice.length === 0 ? { ok: true, value: places } : { ok: false, faults: twice };
}

function faultsOf(place: unknown): readonly string[] {
  if (typeof place !== 'object' || place === null || Array.isArray(place)) return [' must be an object'];
  const { latitude, longitude, label } = place as Record<string, unknown>;
  const unknown = Object.keys(place).filter((name) => !names.includes(name));
  return [
    ...(isAngle(latitude, 90) ? [] : ['.latitude must be a number from -90 to 90']),
    ...(isAngle(longitude, 180) ? [] : ['.longitude must be a number from -180 to 180']),
    ...(isLabel(label)
      ? []
      : [
          `.label must be a text of at most ${placeLimits.labelAtMost} characters without line breaks and HTML`,
        ]),
    ...unknown.map((name) => `.${name.slice(0, 40)} is not known, a place has ${names.join(', ')}`),
  ];
}

function isAngle(value: unknown, most: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= most;
}

function isLabel(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (
    typeof value === 'string' &&
    Array.from(value).length <= placeLimits.labelAtMost &&
    !/[<>\p{Cc}\u2028\u2029]/u.test(value) &&
    !turnsReading(value)
  );
}
