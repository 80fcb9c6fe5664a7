/**
 * The form of POST /offers: every field rule of the specification that needs neither clock nor catalogue. All faults are
 * named at once, so that a caller corrects a form in one go (decision 9).
 */
import { parseDateTime } from '@offer-ads/contracts/date-time';
import type { MemberGender, Mode, PaymentMethod } from '@offer-ads/contracts/primitives';
import { memberGenders } from '@offer-ads/contracts/primitives';
import type { OfferContent } from './offer.ts';

/** Text parts by name, in the order in which they came. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

export type PictureFormat = 'jpeg' | 'png' | 'gif';
/** What the bytes themselves say; `unknown` is anything that is not one of the three types. */
export type PictureFacts = { readonly format: PictureFormat; readonly pixels: number } | 'unknown';

export type OfferForm = OfferContent & {
  readonly startAt: Date;
  readonly expiryAt: Date;
  readonly paymentMethod: PaymentMethod;
};

export type OfferFormResult =
  | { readonly ok: true; readonly form: OfferForm }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Sent once at most; a second one is a fault of the form's shape. Names with brackets may be repeated. */
export const singleFields = [
  'category_id',
  'title',
  'description',
  'terms_and_conditions',
  'advertised_name',
  'url',
  'radius',
  'start_datetime',
  'expiry_datetime',
  'payment_method',
  'environment',
] as const;
type SingleField = (typeof singleFields)[number];
type RepeatedField = 'location[]' | 'gender[]' | 'interests[]';

/** Decision 18: over all frames; beyond that, decoding is an attack on memory. */
export const GREATEST_PICTURE_PIXELS = 50_000_000;
/** "Limits": an offer runs for at least a minute. */
const SHORTEST_DURATION_MS = 60_000;
const GREATEST_URL_LENGTH = 2_048;

/** Null when the form names neither mode; that is a fault of the field, the other mode is a refusal of its own (E1 403). */
export function namedMode(fields: FormFields): Mode | null {
  const text = fields.get('environment')?.[0];
  return text === 'TEST' || text === 'LIVE' ? text : null;
}

/** @param picture null when the form has no picture */
export function readOfferForm(fields: FormFields, picture: PictureFacts | null): OfferFormResult {
  const read = allOf({
    category: readCategoryId(fields),
    title: readText(fields, 'title', { atMost: 40 }),
    description: readText(fields, 'description', { atMost: 500 }),
    terms: readOptionalText(fields, 'terms_and_conditions', { atMost: 500 }),
    advertisedName: readAdvertisedName(fields),
    url: readUrl(fields),
    picture: checkPicture(picture),
    location: readLocation(fields),
    radiusMiles: readRadius(fields),
    gender: readGender(fields),
    interests: readInterests(fields),
    brackets: checkBrackets(fields),
    period: readPeriod(fields),
    paymentMethod: readPaymentMethod(fields),
    environment: namedMode(fields) === null ? fault('environment must be TEST or LIVE') : valid(null),
  });
  if (!read.ok) return read;
  const { category, terms, location, period, title, description, advertisedName, url } = read.value;
  const { radiusMiles, gender, interests, paymentMethod } = read.value;
  return {
    ok: true,
    form: {
      categoryId: category,
      title,
      description,
      termsAndConditions: terms,
      advertisedName,
      url,
      ...location,
      radiusMiles,
      gender,
      interests,
      ...period,
      paymentMethod,
    },
  };
}

type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly string[] };

function valid<T>(value: T): Reading<T> {
  return { ok: true, value };
}

function fault(...faults: string[]): Reading<never> {
  return { ok: false, faults };
}

/** All values, or every fault of all. */
function allOf<T extends object>(readings: { readonly [K in keyof T]: Reading<T[K]> }): Reading<T> {
  const entries = Object.entries<Reading<unknown>>(readings);
  const faults = entries.flatMap(([, reading]) => (reading.ok ? [] : reading.faults));
  if (faults.length > 0) return fault(...faults);
  return valid(
    Object.fromEntries(entries.map(([name, reading]) => [name, reading.ok && reading.value])) as T,
  );
}

function single(fields: FormFields, name: SingleField): string {
  return fields.get(name)?.[0] ?? '';
}

/** Empty parts are how a form says that it has none (decision 18a). */
function repeated(fields: FormFields, name: RepeatedField): string[] {
  return (fields.get(name) ?? []).filter((text) => text !== '');
}

function readText(fields: FormFields, name: SingleField, { atMost }: { atMost: number }): Reading<string> {
  if (single(fields, name).trim() === '') return fault(`${name} is missing`);
  return readOptionalText(fields, name, { atMost });
}

function readOptionalText(
  fields: FormFields,
  name: SingleField,
  { atMost }: { atMost: number },
): Reading<string> {
  const text = single(fields, name);
  const length = codePoints(text);
  if (length > atMost) return fault(`${name} must have at most ${atMost} characters, it has ${length}`);
  // No store keeps it, and no reader shows it.
  if (text.includes('\0')) return fault(`${name} must not contain a NUL character`);
  return valid(text);
}

/** Lengths count these (decision 18a): an emoji is one character, whatever its bytes. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

function readAdvertisedName(fields: FormFields): Reading<string | null> {
  const name = 'advertised_name';
  const length = readOptionalText(fields, name, { atMost: 100 });
  const text = single(fields, name);
  const faults = [
    ...(length.ok ? [] : length.faults),
    ...(/^\s*(https?:\/\/|www\.)/i.test(text)
      ? [`${name} must not start with http://, https:// or www.`]
      : []),
    ...(/[<>]|&#?\w+;/.test(text) ? [`${name} must not contain HTML`] : []),
    ...(/[\n\v\f\r\u0085\u2028\u2029]/.test(text) ? [`${name} must not contain line breaks`] : []),
  ];
  if (faults.length > 0) return fault(...faults);
  return valid(text.trim() === '' ? null : text);
}

/** http or https, without user information, and never fetched (decision 18a). */
function readUrl(fields: FormFields): Reading<string> {
  const text = single(fields, 'url');
  if (text === '') return fault('url is missing');
  if (codePoints(text) > GREATEST_URL_LENGTH) {
    return fault(`url must have at most ${GREATEST_URL_LENGTH} characters`);
  }
  // The parser would quietly drop blanks and control characters; members' browsers get the text as it was sent.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
  const isWeb = url !== null && /^https?:\/\/[^/]/i.test(text) && url.username === '' && url.password === '';
  return isWeb ? valid(text) : fault('url must be an http or https address without user information');
}

function checkPicture(picture: PictureFacts | null): Reading<null> {
  if (picture === null) return fault('image is missing');
  if (picture === 'unknown') return fault('image must be a JPG, PNG or GIF');
  return picture.pixels > GREATEST_PICTURE_PIXELS
    ? fault('image must have at most 50 megapixels over all its frames')
    : valid(null);
}

function readCategoryId(fields: FormFields): Reading<number> {
  const text = single(fields, 'category_id');
  if (text === '') return fault('category_id is missing');
  return /^\d{1,9}$/.test(text)
    ? valid(Number(text))
    : fault('category_id must be an id from GET /categories');
}

function readLocation(fields: FormFields): Reading<{ latitude: number; longitude: number }> {
  const [latitude, longitude, ...more] = repeated(fields, 'location[]').map(decimal);
  const isPlace =
    latitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    longitude !== undefined &&
    Math.abs(longitude) <= 180;
  return isPlace && more.length === 0
    ? valid({ latitude, longitude })
    : fault('location[] must be two numbers: latitude from -90 to 90, then longitude from -180 to 180');
}

/** NaN, which no range admits, for what is not a plain decimal number: `Number` alone would take "0x10" and " ". */
function decimal(text: string): number {
  return /^[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})$/.test(text) ? Number(text) : Number.NaN;
}

function readRadius(fields: FormFields): Reading<number> {
  const text = single(fields, 'radius');
  const miles = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return miles >= 5 && miles <= 30
    ? valid(miles)
    : fault('radius must be a whole number of miles from 5 to 30');
}

function readGender(fields: FormFields): Reading<MemberGender[]> {
  const texts = repeated(fields, 'gender[]');
  const known = memberGenders.filter((gender) => texts.includes(gender));
  const unknown = texts.filter((text) => text !== 'All' && !known.some((gender) => gender === text));
  if (unknown.length > 0) return fault('gender[] must be Male, Female, Non-binary or All');
  return valid(texts.includes('All') ? [] : known);
}

function readInterests(fields: FormFields): Reading<number[]> {
  const texts = repeated(fields, 'interests[]');
  if (!texts.every((text) => /^\d{1,9}$/.test(text)))
    return fault('interests[] must be ids from GET /interests');
  return valid([...new Set(texts.map(Number))]);
}

/** Other unknown parts are ignored; these, ignored, would sell the advertiser everybody instead of the few asked for. */
function checkBrackets(fields: FormFields): Reading<null> {
  const bare = ['gender', 'interests'].filter((name) => fields.has(name));
  return bare.length === 0
    ? valid(null)
    : fault(bare.map((name) => `${name} must be sent as ${name}[]`).join('; '));
}

function readPeriod(fields: FormFields): Reading<{ startAt: Date; expiryAt: Date }> {
  const read = allOf({
    startAt: readDateTime(fields, 'start_datetime'),
    expiryAt: readDateTime(fields, 'expiry_datetime'),
  });
  if (!read.ok) return read;
  const durationMs = read.value.expiryAt.getTime() - read.value.startAt.getTime();
  return durationMs >= SHORTEST_DURATION_MS
    ? read
    : fault('expiry_datetime must be at least 60 seconds after start_datetime');
}

function readDateTime(fields: FormFields, name: SingleField): Reading<Date> {
  const instant = parseDateTime(single(fields, name));
  // Offsets can push a date out of the years that four digits write, which is how every reply and event writes it.
  const isWritable = instant !== undefined && /^\d{4}-/.test(instant.toISOString());
  return isWritable
    ? valid(instant)
    : fault(`${name} must be an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z`);
}

function readPaymentMethod(fields: FormFields): Reading<PaymentMethod> {
  const text = single(fields, 'payment_method');
  return text === 'E' || text === 'B' ? valid(text) : fault('payment_method must be E or B');
}
