/** The form that edits an offer: its first values, what is wrong with it, and the request. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { byField } from '@offer-ads/contracts/values/offer-texts';
import {
  completedUrl,
  contentOf,
  type Draft,
  type DraftField,
  type Faults,
  faultsOf,
  pictureState,
} from '../new/draft.ts';

/** The fields of an edit, by the field of `PATCH /offers/{offer_id}`. */
const fields = {
  category_id: 'categoryId',
  ...byField((text) => text),
  url: 'url',
} as const satisfies Record<string, keyof Draft>;
type TextField = keyof typeof fields;
const names = Object.keys(fields) as TextField[];

function changedFields(offer: PortalOffer, draft: Draft): TextField[] {
  const before = contentOf(offer);
  return names.filter((name) => draft[fields[name]] !== before[fields[name]]);
}

/** Only of what changes: an offer keeps a category that is no longer offered, for example. */
export function editFaults(offer: PortalOffer, draft: Draft, picture: File | null): Faults {
  const found = faultsOf(draft, pictureState(picture), new Date());
  const changed: DraftField[] = changedFields(offer, draft).map((name) =>
    name === 'category_id' ? 'category' : fields[name],
  );
  if (picture !== null) changed.push('picture');
  return Object.fromEntries(
    changed.filter((field) => found[field] !== undefined).map((field) => [field, found[field]]),
  );
}

/** Null if nothing changes. Only what changes is sent, so that what a colleague has changed meanwhile stays. */
export function editRequest(offer: PortalOffer, draft: Draft, picture: File | null): FormData | null {
  const changed = changedFields(offer, draft);
  if (changed.length === 0 && picture === null) return null;
  const form = new FormData();
  for (const name of changed) form.set(name, name === 'url' ? completedUrl(draft.url) : draft[fields[name]]);
  if (picture !== null) form.set('image', picture);
  return form;
}
