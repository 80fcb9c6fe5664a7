/** Where and to whom an offer is shown: the form fields that decide the price. */
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/member-gender';
import { radiusMiles, radiusRule } from '@offer-ads/contracts/values/radius';
import { parseId } from './offer-id.ts';
import { type FormFields, fault, type Reading, single, valid } from './readings.ts';

/** Fields that may be repeated. */
export const repeatedFields = ['location[]', 'gender[]', 'interests[]'] as const;
type RepeatedField = (typeof repeatedFields)[number];

export function readLocation(fields: FormFields): Reading<{ latitude: number; longitude: number }> {
  const [latitude, longitude, ...more] = (fields.get('location[]') ?? []).map(decimal);
  const isPlace =
    latitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    longitude !== undefined &&
    Math.abs(longitude) <= 180;
  return isPlace && more.length === 0
    ? valid({ latitude, longitude })
    : fault('location[] must be two numbers: latitude from -90 to 90, then longitude from -180 to 180');
}

/**
 * NaN, which fails every range check, for a text that is not a decimal number; `Number` alone would accept "0x10" and " ". An exponent is
 * allowed, because programs write small longitudes as 1e-05.
 */
function decimal(text: string): number {
  return /^[+-]?(\d{1,20}(\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
}

export function readRadius(fields: FormFields): Reading<number> {
  const text = single(fields, 'radius');
  const miles = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return radiusMiles.safeParse(miles).success ? valid(miles) : fault(`radius ${radiusRule}`);
}

export function readGender(fields: FormFields): Reading<MemberGender[]> {
  const texts = filled(fields, 'gender[]');
  const known = memberGenders.filter((gender) => texts.includes(gender));
  const unknown = texts.filter((text) => text !== 'All' && !known.some((gender) => gender === text));
  if (unknown.length > 0) return fault('gender[] must be Male, Female, Non-binary or All');
  return valid(texts.includes('All') ? [] : known);
}

export function readInterests(fields: FormFields): Reading<number[]> {
  const ids = filled(fields, 'interests[]').map(parseId);
  if (ids.includes(undefined)) return fault('interests[] must be ids from GET /interests');
  return valid([...new Set(ids.filter((id) => id !== undefined))]);
}

/** Empty parts are ignored; forms send them for empty lists (decision 18a, forms and formats). */
function filled(fields: FormFields, name: RepeatedField): string[] {
  return (fields.get(name) ?? []).filter((text) => text !== '');
}
