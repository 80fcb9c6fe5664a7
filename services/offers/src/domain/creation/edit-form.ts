/** The form of PATCH /offers/{offer_id}: what is left out stays. Its fields have the rules of the creation. */
import type { Edit } from '../lifecycle/edit-content.ts';
import { allOf, type FormFields, fault, type Reading, valid } from '../readings.ts';
import {
  checkEnvironment,
  checkPicture,
  contentFields,
  contentReadings,
  type PictureFacts,
} from './offer-form.ts';

export type EditFormResult =
  | { readonly ok: true; readonly edit: Omit<Edit, 'image'> }
  | { readonly ok: false; readonly faults: readonly string[] };

const facts = Object.keys(contentFields) as (keyof typeof contentFields)[];

/** @param picture null if the form has no picture */
export function readEditForm(fields: FormFields, picture: PictureFacts | null): EditFormResult {
  const sent = facts.filter((fact) => fields.has(contentFields[fact]));
  const edit = allOf<Record<string, unknown>>(
    Object.fromEntries(sent.map((fact) => [fact, contentReadings[fact](fields)])),
  );
  const read = allOf({
    edit,
    picture: picture === null ? valid(null) : checkPicture(picture),
    fixed: checkFixed(fields),
    environment: fields.has('environment') ? checkEnvironment(fields) : valid(null),
    something: sent.length > 0 || picture !== null ? valid(null) : fault(nothingSent),
  });
  return read.ok ? { ok: true, edit: read.value.edit } : read;
}

const nothingSent = `Send at least one of ${Object.values(contentFields).join(', ')}, image`;

/** Fields of a creation that decide the price or are over, in any spelling of lists. */
const fixed =
  /^\s*(location|radius|genders?|interests?|(start|end|expiry)_datetime|payment_method|quote_id|image_offer_id)\s*(\[.*)?$/is;
/** Enough to recognise the name, and a limit for the reply. */
const SHOWN_LENGTH = 40;

/** Other unknown parts are ignored. If these were, an advertiser would think that the offer is shown to others now. */
function checkFixed(fields: FormFields): Reading<null> {
  const names = [...fields.keys()].filter((name) => fixed.test(name));
  if (names.length === 0) return valid(null);
  return fault(
    ...names.map(
      (name) => `${name.slice(0, SHOWN_LENGTH)} cannot be changed, it belongs to the price that was agreed`,
    ),
  );
}
