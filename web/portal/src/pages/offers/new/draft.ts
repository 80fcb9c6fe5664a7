/** The draft of an offer: the values of the form, their validation, and the requests made from them. */

import type { Place } from '@offer-ads/contracts/places/cities';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { MAX_IMAGE_BYTES, offerLimits } from '@offer-ads/contracts/values/offer-limits';
import {
  byFact,
  type OfferText,
  offerTextFacts,
  offerTexts,
  textRow,
} from '@offer-ads/contracts/values/offer-texts';
import { showsNothing } from '@offer-ads/contracts/values/shown-name';
import { localText } from '../../../../../ui/time-text.ts';

export type DraftPlace = {
  readonly label: string;
  readonly placeText: string;
  readonly latitude: string;
  readonly longitude: string;
};

/** The values of the fields. The picture is separate, because it cannot be stored over a reload. */
export type Draft = { readonly [Text in OfferText]: string } & {
  readonly categoryId: string;
  readonly url: string;
  /** What is typed as the place and stands for none yet: then the draft has no place, whatever the coordinates are. */
  readonly placeText: string;
  readonly latitude: string;
  readonly longitude: string;
  /** What the person calls the place, such as "Soho"; '' if it has no name of its own. */
  readonly label: string;
  /** Further places, each of which gets an offer of its own: places.ts. */
  readonly otherPlaces: readonly DraftPlace[];
  /** Where the place above stands among all. */
  readonly placeIndex: number;
  readonly radiusMiles: number;
  /** Empty: everybody. */
  readonly genders: readonly string[];
  readonly interestIds: readonly number[];
  readonly starts: 'now' | 'later';
  /** In the local time zone, in the format of the input field: `2027-01-31T08:30`. */
  readonly startAt: string;
  /** Hours, or until `endAt`. */
  readonly runs: string;
  readonly endAt: string;
  /** As typed. The page proposes an end for it, and creates no offer that costs more. */
  readonly budget: string;
  readonly paymentMethod: 'E' | 'B';
  /** The offer of which this is a copy; 0: it is none. */
  readonly copiedFromId: number;
  readonly copiedFromTitle: string;
  /** A picture was chosen: the draft is kept without it. */
  readonly hasPicture: boolean;
  /** The address of that offer's picture, which the copy has until another one is chosen; '' without a copy. */
  readonly copiedPicture: string;
};

export const emptyDraft: Draft = {
  categoryId: '',
  ...byFact(() => ''),
  url: '',
  placeText: '',
  latitude: '',
  longitude: '',
  label: '',
  otherPlaces: [],
  placeIndex: 0,
  radiusMiles: 10,
  genders: [],
  interestIds: [],
  starts: 'now',
  startAt: '',
  runs: '168',
  endAt: '',
  budget: '',
  paymentMethod: 'E',
  copiedFromId: 0,
  copiedFromTitle: '',
  hasPicture: false,
  copiedPicture: '',
};

/** The circle in which members see an offer, and what its place is called. */
export type Target = Place & { readonly radiusMiles: number; readonly label: string };

export function draftAt({ latitude, longitude, radiusMiles, label }: Target): Draft {
  return { ...emptyDraft, latitude: String(latitude), longitude: String(longitude), radiusMiles, label };
}

export function targetOf(draft: Draft): Target | null {
  const place = placeOf(draft);
  return place === null ? null : { ...place, radiusMiles: draft.radiusMiles, label: draft.label };
}

/** Reads a stored target. The text is not trusted: null when it is invalid. */
export function readTarget(text: string | null): Target | null {
  const { least, most } = offerLimits.radius;
  try {
    const { latitude, longitude, radiusMiles, label } = JSON.parse(text ?? '{}') as {
      readonly [name: string]: unknown;
    };
    const isRadius =
      typeof radiusMiles === 'number' &&
      Number.isInteger(radiusMiles) &&
      radiusMiles >= least &&
      radiusMiles <= most;
    if (typeof latitude !== 'number' || typeof longitude !== 'number' || !isRadius) return null;
    return targetOf(
      draftAt({ latitude, longitude, radiusMiles, label: typeof label === 'string' ? label : '' }),
    );
  } catch {
    return null;
  }
}

export const genders = ['Male', 'Female', 'Non-binary'] as const;
/** The durations to choose from; any other end is `until`. */
export const runsFor = [
  ['24', '1 day'],
  ['72', '3 days'],
  ['168', '1 week'],
  ['336', '2 weeks'],
  ['720', '30 days'],
] as const;

/** Names of the fields in messages, as on the page. */
export const fieldNames = {
  category: 'Category',
  ...byFact((_text, { label }) => label),
  url: 'Web address',
  picture: 'Picture',
  place: 'Place',
  radius: 'Radius',
  genders: 'Gender',
  interests: 'Interests',
  start: 'Start',
  end: 'End',
  budget: 'Budget',
  payment: 'Payment',
};
export type DraftField = keyof typeof fieldNames;
export type Faults = { readonly [F in DraftField]?: string };

/** Code points, as the service counts: an emoji is one. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

export function placeOf(draft: DraftPlace): Place | null {
  return draft.placeText === '' ? coordinatesOf(draft) : null;
}

/** All places in their order. The one at `placeIndex` is that of the fields. */
export function placesOf(draft: Draft): readonly DraftPlace[] {
  const { label, placeText, latitude, longitude, otherPlaces, placeIndex } = draft;
  return otherPlaces.toSpliced(placeIndex, 0, { label, placeText, latitude, longitude });
}

/** Those of which the position is known. */
export function knownPlacesOf(draft: Draft): readonly (Place & { readonly label: string })[] {
  return placesOf(draft).flatMap((each) => {
    const place = placeOf(each);
    return place === null ? [] : [{ ...place, label: each.label }];
  });
}

/** Where the map is: also while another place is being typed. */
export function coordinatesOf({ latitude, longitude }: Omit<DraftPlace, 'label'>): Place | null {
  if (!isNumber(latitude) || !isNumber(longitude)) return null;
  const place = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : null;
}

function isNumber(text: string): boolean {
  return /^-?\d{1,3}(\.\d{1,12})?$/.test(text.trim());
}

export type Period = { readonly start: Date; readonly end: Date };

/** Null if it is invalid; `faultsOf` says why. */
export function periodOf(draft: Draft, now: Date): Period | null {
  const start = draft.starts === 'now' ? now : new Date(draft.startAt);
  const end =
    draft.runs === 'until'
      ? new Date(draft.endAt)
      : new Date(start.getTime() + Number(draft.runs) * 3_600_000);
  return Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()) ? null : { start, end };
}

/** The rules of the service (specification, Create), so that errors appear at their fields. The service checks again. */
export function faultsOf(draft: Draft, picture: PictureState, now: Date): Faults {
  const found: { [F in DraftField]?: string | undefined } = {
    category: draft.categoryId === '' ? 'Choose a category.' : undefined,
    ...byFact((text) => textFault(draft[text], text)),
    url: urlFault(completedUrl(draft.url)),
    picture: picture === 'missing' ? 'Choose a picture.' : picture === 'fits' ? undefined : picture.problem,
    place: placeFault(draft),
    ...periodFaults(draft, now),
  };
  return Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined));
}

function placeFault(draft: Draft): string | undefined {
  const places = knownPlacesOf(draft);
  const isOne = draft.otherPlaces.length === 0;
  if (places.length <= draft.otherPlaces.length)
    return isOne
      ? 'Choose a place: search for one, move the circle, or enter both coordinates.'
      : 'A place in the list is not chosen yet. Choose it, or remove it.';
  return hasPlaceTwice(draft) ? 'A place is in the list twice. Remove one of the two.' : undefined;
}

export function hasPlaceTwice(draft: Draft): boolean {
  const places = knownPlacesOf(draft);
  return new Set(places.map(samePlaceKey)).size < places.length;
}

/** Places that are nearer than ten metres are the same. */
export function samePlaceKey({ latitude, longitude }: Place): string {
  return `${latitude.toFixed(4)} ${longitude.toFixed(4)}`;
}

function textFault(typed: string, text: OfferText): string | undefined {
  const { label, isRequired, faultsOf: otherFaultsOf } = textRow(text);
  if (isRequired && showsNothing(typed)) return `Enter the ${label.toLowerCase()}.`;
  const [other] = otherFaultsOf(typed);
  return tooLong(typed, text) ?? (other && `The ${label.toLowerCase()} ${other}.`);
}

/** The message for a text that is too long. */
export function tooLong(typed: string, text: OfferText): string | undefined {
  const { atMost } = offerTexts[text];
  const over = lengthOf(typed) - atMost;
  if (over <= 0) return undefined;
  return `Remove ${over} ${over === 1 ? 'character' : 'characters'}: at most ${atMost} fit.`;
}

/** The address as it is sent: a person may leave out `https://`. Anything that is no plain host with a path stays as it is. */
export function completedUrl(typed: string): string {
  const url = typed.trim();
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d{1,5})?([/?#]\S*)?$/u.test(url) ? `https://${url}` : url;
}

export function urlFault(url: string): string | undefined {
  if (showsNothing(url))
    return 'Enter the address of the page that opens, for example https://example.com/offer.';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined || /[\s\\]/.test(url) || !URL.canParse(url))
    return 'Enter the whole address, with https:// or http:// at its beginning.';
  if (authority.includes('@')) return 'Remove the user name before the @ from the address.';
  return lengthOf(url) > offerLimits.url
    ? `Use a shorter address: at most ${offerLimits.url} characters fit.`
    : undefined;
}

function periodFaults(draft: Draft, now: Date): { start?: string; end?: string } {
  if (draft.starts === 'later') {
    const start = new Date(draft.startAt);
    if (Number.isNaN(start.getTime())) return { start: 'Choose the day and time at which the offer starts.' };
    if (start.getTime() < now.getTime() - offerLimits.startGraceSeconds * 1_000)
      return { start: 'This is in the past. Choose a later time, or start now.' };
  }
  if (draft.runs === 'until' && Number.isNaN(new Date(draft.endAt).getTime()))
    return { end: 'Choose the day and time at which the offer ends.' };
  const period = periodOf(draft, now);
  if (period === null) return { end: 'Choose how long the offer runs.' };
  const lasts = period.end.getTime() - period.start.getTime();
  if (lasts <= 0) return { end: 'This is before the start. Choose a later end.' };
  return lasts < offerLimits.shortestSeconds * 1_000
    ? { end: `The offer must run for at least ${offerLimits.shortestSeconds} seconds. Choose a later end.` }
    : {};
}

export type PictureState = 'missing' | 'fits' | { readonly problem: string };

/**
 * Checks type and size before the upload; the service checks the bytes.
 * @param draft a copy has the picture of its offer
 */
export function pictureState(
  file: Pick<File, 'type' | 'size'> | null,
  draft: Pick<Draft, 'copiedPicture'> = emptyDraft,
): PictureState {
  if (file === null) return draft.copiedPicture === '' ? 'missing' : 'fits';
  if (!['image/jpeg', 'image/png', 'image/gif'].includes(file.type))
    return { problem: 'This file is no JPG, PNG or GIF. Choose another picture.' };
  if (file.size === 0) return { problem: 'This file is empty. Choose another picture.' };
  if (file.size <= MAX_IMAGE_BYTES) return 'fits';
  const megabytes = (file.size / 1024 / 1024).toFixed(1);
  return {
    problem: `This picture has ${megabytes} MB. Choose one of at most ${offerLimits.imageMegabytes} MB.`,
  };
}

/** What the person must do before there is a price; null if nothing is missing. */
export function missingForPrice(draft: Draft, now: Date): string | null {
  if (knownPlacesOf(draft).length === 0) return 'Choose a place to see the price.';
  const { start, end } = periodFaults(draft, now);
  if (start !== undefined) return 'Correct the start to see the price.';
  return end === undefined ? null : 'Correct the end to see the price.';
}

/** Body of POST /offers/price-estimate, or for several places of POST /offer-groups/price-estimate; null while place or period are missing. */
export function estimateRequest(draft: Draft, now: Date): Record<string, unknown> | null {
  const places = knownPlacesOf(draft);
  const [place] = places;
  const period = periodOf(draft, now);
  if (place === undefined || period === null || missingForPrice(draft, now) !== null) return null;
  return {
    start_datetime: period.start.toISOString(),
    end_datetime: period.end.toISOString(),
    ...(places.length === 1 ? { location: [place.latitude, place.longitude] } : { places }),
    radius: draft.radiusMiles,
    ...(draft.genders.length === 0 ? {} : { gender: draft.genders }),
    ...(draft.interestIds.length === 0 ? {} : { interests: draft.interestIds }),
  };
}

/** The values on which the estimate depends, as text: drafts with the same text have the same price. */
export function estimateKey(draft: Draft): string {
  const { radiusMiles, starts, startAt, runs, endAt } = draft;
  const who = [draft.genders.toSorted(), draft.interestIds.toSorted((a, b) => a - b)];
  return JSON.stringify([
    knownPlacesOf(draft).map(({ latitude, longitude }) => [latitude, longitude]),
    radiusMiles,
    who,
    starts,
    starts === 'now' || startAt,
    runs,
    endAt,
  ]);
}

/** The form of POST /offers, or for several places of POST /offer-groups, as it is sent. */
export function offerForm(
  draft: Draft,
  o: {
    /** Null: that of the copied offer. */
    readonly picture: File | null;
    readonly mode: 'test' | 'live';
    readonly now: Date;
    readonly quoteId: string | undefined;
  },
): FormData {
  const { picture, mode, now, quoteId } = o;
  const places = knownPlacesOf(draft);
  const [place] = places;
  const period = periodOf(draft, now);
  if (place === undefined || period === null) throw new Error('only a draft without faults is sent');
  const form = new FormData();
  form.set('category_id', draft.categoryId);
  for (const text of offerTextFacts) form.set(offerTexts[text].field, draft[text]);
  form.set('url', completedUrl(draft.url));
  if (places.length > 1) form.set('places', JSON.stringify(places));
  else {
    form.append('location[]', String(place.latitude));
    form.append('location[]', String(place.longitude));
  }
  form.set('radius', String(draft.radiusMiles));
  for (const gender of draft.genders) form.append('gender[]', gender);
  for (const id of draft.interestIds) form.append('interests[]', String(id));
  form.set('start_datetime', period.start.toISOString());
  form.set('expiry_datetime', period.end.toISOString());
  form.set('payment_method', draft.paymentMethod);
  form.set('environment', mode.toUpperCase());
  if (quoteId !== undefined) form.set('quote_id', quoteId);
  if (picture === null) form.set('image_offer_id', String(draft.copiedFromId));
  else form.set('image', picture);
  return form;
}

/** A draft with the texts and the target of an offer. */
export function contentOf(offer: PortalOffer): Draft {
  return {
    ...emptyDraft,
    categoryId: String(offer.category_id),
    ...byFact((text) => offer[offerTexts[text].field] ?? ''),
    url: offer.url,
    latitude: String(offer.latitude),
    longitude: String(offer.longitude),
    label: offer.place_label ?? '',
    radiusMiles: offer.radius,
    genders: offer.gender,
    interestIds: offer.interests.map(({ interest_id: id }) => id),
  };
}

/**
 * The draft of a copy: everything of an offer. It starts now and runs as long.
 * @param categories the ids that can be chosen: a category may be gone since
 */
export function copyOf(offer: PortalOffer, now: Date, categories: readonly number[]): Draft {
  const lastsMs = Date.parse(offer.expiry_datetime) - Date.parse(offer.start_datetime);
  const hours = String(lastsMs / 3_600_000);
  const isUsual = runsFor.some(([usual]) => usual === hours);
  return {
    ...contentOf(offer),
    categoryId: categories.includes(offer.category_id) ? String(offer.category_id) : '',
    ...(isUsual
      ? { runs: hours }
      : { runs: 'until', endAt: localText(new Date(now.getTime() + Math.max(lastsMs, MIN_COPIED_MS))) }),
    paymentMethod: offer.payment_method,
    copiedFromId: offer.offer_id,
    copiedFromTitle: offer.title,
    copiedPicture: offer.image,
  };
}

/** The field has minutes, and the person needs some to press the button. */
const MIN_COPIED_MS = 10 * 60_000;

/** Whether the person has entered something; the circle does not count, because an empty draft has one. */
export function isBegun(draft: Draft): boolean {
  const { latitude, longitude, label, radiusMiles } = emptyDraft;
  return JSON.stringify({ ...draft, latitude, longitude, label, radiusMiles }) !== JSON.stringify(emptyDraft);
}

function isDraftPlace(place: unknown): boolean {
  const { label, placeText, latitude, longitude } = (place ?? {}) as Record<string, unknown>;
  return [label, placeText, latitude, longitude].every((text) => typeof text === 'string');
}

/** Reads a stored draft. The text is not trusted: null when it is invalid. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const kept = JSON.parse(text) as Record<string, unknown>;
    const isDraft = Object.entries(emptyDraft).every(
      ([name, value]) =>
        typeof kept[name] === typeof value && Array.isArray(kept[name]) === Array.isArray(value),
    );
    const draft = kept as Draft;
    return isDraft && draft.otherPlaces.every(isDraftPlace) ? draft : null;
  } catch {
    return null;
  }
}
