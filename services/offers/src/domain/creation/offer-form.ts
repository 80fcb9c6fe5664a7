/**
 * The forms of POST /offers and POST /offer-groups: all field rules of the specification that need neither the clock nor the catalogue. All faults are reported at
 * once, so that a caller can correct the form in one go (decision 9, order of checks).
 */

import type { NoHeader, PictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { dateTimeFault, parseDateTime } from '@offer-ads/contracts/values/date-time';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { byFact, offerTextFacts, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import {
  type OwnValues,
  ownNames,
  ownValuesOf,
  placeLimits,
  readPlaces,
} from '@offer-ads/contracts/values/places';
import {
  type Mode,
  type PaymentMethod,
  quoteId as quoteIdRule,
} from '@offer-ads/contracts/values/primitives';
import type { OfferContent } from '../offer.ts';
import { parseId } from '../offer-id.ts';
import { readGender, readInterests, readLocation, readRadius, repeatedFields } from '../offer-targeting.ts';
import { allOf, checkNames, type FormFields, fault, type Reading, single, valid } from '../readings.ts';
import { readTexts, readUrl } from './offer-texts.ts';

/** The header of the picture, or why it has none. */
export type PictureFacts = PictureHeader | NoHeader;

export type OfferForm = OfferContent & {
  /** Of its place in a group. */
  readonly placeLabel: string | null;
  readonly startAt: Date;
  readonly expiryAt: Date;
  readonly paymentMethod: PaymentMethod;
  /** The quote whose price the offer must cost; null if the price is computed now. */
  readonly quoteId: string | null;
  /** The most that all offers may cost together, as it was written; null: no bound. */
  readonly maxCost: string | null;
  /** The offer whose picture this one gets too; null if a picture is sent. */
  readonly imageOfferId: number | null;
  /** The file name of its picture among several; null: the only one. */
  readonly imageName: string | null;
};

/** What a creation is for: one offer, or those of a group in the order of its places. */
export type CreationForm = {
  readonly offers: readonly [OfferForm, ...OfferForm[]];
  readonly isGroup: boolean;
};

export type CreationFormResult =
  | { readonly ok: true; readonly form: CreationForm }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Fields that may occur only once. */
export const singleFields = [
  'category_id',
  ...offerTextFacts.map((text) => offerTexts[text].field),
  'url',
  'radius',
  'start_datetime',
  'expiry_datetime',
  'payment_method',
  'environment',
  'quote_id',
  'max_cost',
  'image_offer_id',
] as const;
type SingleField = (typeof singleFields)[number];
/** All names of the form. */
export const formNames = [...singleFields, ...repeatedFields, 'image'] as const;

const groupNames = [...formNames, 'places'];

/** Also said of a shorter text that pricing did not make. */
export const notAQuote = 'quote_id must be the quote_id of a price estimate';
/** Also said of an offer that the caller does not have. */
export const notAnImageOffer =
  'image_offer_id must be the id of an offer of yours in this mode, whose picture is still kept';
/** Decision 18, image limits: the sum over all frames. Decoding a larger picture would use too much memory. */
export const GREATEST_PICTURE_PIXELS = 50_000_000;
/** Decision 107, memory of a picture: each frame costs a minimum effort, however small it is. */
export const GREATEST_PICTURE_FRAMES = 2_000;

/** Null if the form names neither mode, which is a fault of the field. Naming the other mode has its own refusal (E1 403). */
export function namedMode(fields: FormFields): Mode | null {
  const text = fields.get('environment')?.[0];
  return text === 'TEST' || text === 'LIVE' ? text : null;
}

/** The fields that an edit may change too, by the fact that each sets. */
export const contentFields = {
  categoryId: 'category_id',
  ...byFact((_text, { field }) => field),
  url: 'url',
} as const satisfies Partial<Record<keyof OfferContent, string>>;

/** In the order in which faults are reported. */
export function readContent(fields: FormFields) {
  return {
    categoryId: readCategoryId(fields),
    ...readTexts(fields),
    url: readUrl(fields),
  } satisfies Record<keyof typeof contentFields, Reading<unknown>>;
}

/** By their file names. */
type Pictures<Picture> = ReadonlyMap<string, Picture>;

/** Null if the form has none, or several. */
export function onlyPicture<Picture>(pictures: Pictures<Picture>): Picture | null {
  const [only, another] = pictures.values();
  return another === undefined ? (only ?? null) : null;
}

export function readOfferForm(fields: FormFields, pictures: Pictures<PictureFacts>): CreationFormResult {
  const read = readOffer(fields, onlyPicture(pictures), formNames);
  return read.ok ? { ok: true, form: { offers: [read.value], isGroup: false } } : read;
}

/**
 * The form of POST /offer-groups: `places` in place of `location[]`. Each place with its own values is read as the form of a single offer.
 */
export function readGroupForm(fields: FormFields, pictures: Pictures<PictureFacts>): CreationFormResult {
  const given = parseJson(single(fields, 'places'));
  const places = readPlaces(given, ownNames);
  const others = Object.entries(notOfGroups).flatMap(([name, why]) =>
    fields.has(name) ? [`${name} ${why}`] : [],
  );
  const owns = Array.isArray(given) && given.length <= placeLimits.most ? given.map(ownValuesOf) : [];
  const read = owns.map((own, index) => {
    const { latitude = 0, longitude = 0 } = (places.ok && places.value[index]) || {};
    const position = ['location[]', [`${latitude}`, `${longitude}`]] as const;
    const imageName = own.get('image')?.[0] || null;
    const shared = (own.get('image_offer_id')?.[0] ?? '') === '' ? onlyPicture(pictures) : null;
    const picture = imageName === null ? shared : pictures.get(imageName);
    if (picture === undefined)
      return fault('image must be the file name of a picture that is sent with the form as image');
    const all = new Map([...fields, ...formFieldsOf(own), position]);
    const offer = readOffer(all, picture, groupNames);
    return offer.ok ? valid({ ...offer.value, imageName }) : offer;
  });
  const faults = [
    ...new Set(read.flatMap((each, index) => faultsAt(index, each, read, owns[index] ?? new Map()))),
    ...others,
    ...(places.ok ? [] : places.faults),
  ];
  if (!places.ok || faults.length > 0) return { ok: false, faults };
  const [first, ...more] = read.flatMap((each, index) =>
    each.ok ? [{ ...each.value, placeLabel: places.value[index]?.label ?? null }] : [],
  );
  if (first === undefined) throw new Error('places that passed their rules are none');
  return { ok: true, form: { offers: [first, ...more], isGroup: true } };
}

/** A fault that every place has comes from the form, unless the place has that value for itself. */
function faultsAt(
  index: number,
  of: Reading<OfferForm>,
  all: readonly Reading<OfferForm>[],
  own: OwnValues,
): readonly string[] {
  return (of.ok ? [] : of.faults).map((text) => {
    const name = text.split(' ', 1)[0]?.replace('[]', '') ?? '';
    const isShared = !own.has(name) && all.every((other) => !other.ok && other.faults.includes(text));
    return isShared ? text : `places[${index}].${text.replace(/^(gender|interests)\[\]/, '$1')}`;
  });
}

/** In a form the names of lists end with "[]". */
function formFieldsOf(own: OwnValues): FormFields {
  return new Map(
    [...own].map(([name, texts]) => [/^(gender|interests)$/.test(name) ? `${name}[]` : name, texts]),
  );
}

const notOfGroups = {
  'location[]': 'must not be sent: each of places has its own',
  quote_id: 'must not be sent: a quote is for a single offer, so each of places may have one',
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readOffer(
  fields: FormFields,
  picture: PictureFacts | null,
  known: readonly string[],
): Reading<OfferForm> {
  const read = allOf({
    ...readContent(fields),
    imageOfferId: readPicture(fields, picture),
    location: readLocation(fields),
    radiusMiles: readRadius(fields),
    gender: readGender(fields),
    interests: readInterests(fields),
    names: checkNames(fields, known),
    period: readPeriod(fields),
    paymentMethod: readPaymentMethod(fields),
    environment: checkEnvironment(fields),
    quoteId: readQuoteId(fields),
    maxCost: readMaxCost(fields),
  });
  if (!read.ok) return read;
  const { period, location, names: _names, environment: _environment, ...facts } = read.value;
  return valid({ ...facts, ...period, ...location, placeLabel: null, imageName: null });
}

export function checkEnvironment(fields: FormFields): Reading<null> {
  return namedMode(fields) === null ? fault('environment must be TEST or LIVE') : valid(null);
}

/** The picture comes with the form, or is that of another offer. */
function readPicture(fields: FormFields, picture: PictureFacts | null): Reading<number | null> {
  const text = single(fields, 'image_offer_id');
  if (text === '') {
    const checked = picture === null ? fault('image is missing') : checkPicture(picture);
    return checked.ok ? valid(null) : checked;
  }
  if (picture !== null) return fault('image and image_offer_id must not be sent together');
  const id = parseId(text);
  return id === undefined ? fault(notAnImageOffer) : valid(id);
}

export function checkPicture(picture: PictureFacts): Reading<null> {
  if (picture === 'not-a-picture') return fault('image must be a JPG, PNG or GIF');
  if (picture === 'damaged') return fault('image is damaged or incomplete');
  const { width, height, frames } = picture;
  if (frames > GREATEST_PICTURE_FRAMES) return fault('image must have at most 2,000 frames');
  return width * height * frames > GREATEST_PICTURE_PIXELS
    ? fault('image must have at most 50 megapixels over all its frames')
    : valid(null);
}

function readCategoryId(fields: FormFields): Reading<number> {
  const text = single(fields, 'category_id');
  if (text === '') return fault('category_id is missing');
  const id = parseId(text);
  return id === undefined ? fault('category_id must be an id from GET /categories') : valid(id);
}

function readPeriod(fields: FormFields): Reading<{ startAt: Date; expiryAt: Date }> {
  const read = allOf({
    startAt: readDateTime(fields, 'start_datetime'),
    expiryAt: readDateTime(fields, 'expiry_datetime'),
  });
  if (!read.ok) return read;
  const durationMs = read.value.expiryAt.getTime() - read.value.startAt.getTime();
  return durationMs >= offerLimits.shortestSeconds * 1_000
    ? read
    : fault(`expiry_datetime must be at least ${offerLimits.shortestSeconds} seconds after start_datetime`);
}

function readDateTime(fields: FormFields, name: SingleField): Reading<Date> {
  const text = single(fields, name);
  const instant = parseDateTime(text);
  return instant === undefined ? fault([name, dateTimeFault(text)].join(' ')) : valid(instant);
}

function readPaymentMethod(fields: FormFields): Reading<PaymentMethod> {
  const text = single(fields, 'payment_method');
  return text === 'E' || text === 'B' ? valid(text) : fault('payment_method must be E or B');
}

/** Null if it was omitted. Pricing reads it; here only its length is checked. */
function readQuoteId(fields: FormFields): Reading<string | null> {
  const text = single(fields, 'quote_id');
  if (!quoteIdRule.safeParse(text).success) return fault(notAQuote);
  return valid(text === '' ? null : text);
}

/** Null if it was omitted. Its currency is that of the caller. */
function readMaxCost(fields: FormFields): Reading<string | null> {
  const text = single(fields, 'max_cost');
  if (text === '') return valid(null);
  return /^\d{1,12}(\.\d{1,2})?$/.test(text)
    ? valid(text)
    : fault('max_cost must be an amount in your billing currency, such as 60.00');
}
