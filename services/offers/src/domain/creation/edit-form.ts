/** The form of PATCH /offers/{offer_id}: what is left out stays. Its fields have the rules of the creation. */

import { meantName } from '@offer-ads/contracts/values/misspelt-name';
import type { Edit } from '../lifecycle/edit-content.ts';
import { allOf, checkNames, type FormFields, fault, type Reading, shownName, valid } from '../readings.ts';
import {
  checkEnvironment,
  checkPicture,
  contentFields,
  formNames,
  type PictureFacts,
  readContent,
} from './offer-form.ts';

export type EditFormResult =
  | { readonly ok: true; readonly edit: Omit<Edit, 'image'> }
  | { readonly ok: false; readonly faults: readonly string[] };

const facts = Object.keys(contentFields) as (keyof typeof contentFields)[];

/** @param picture null if the form has no picture */
export function readEditForm(fields: FormFields, picture: PictureFacts | null): EditFormResult {
  const sent = facts.filter((fact) => fields.has(contentFields[fact]));
  const readings = readContent(fields);
  const edit = allOf<Record<string, unknown>>(Object.fromEntries(sent.map((fact) => [fact, readings[fact]])));
  const read = allOf({
    edit,
    picture: picture === null ? valid(null) : checkPicture(picture),
    fixed: checkFixed(fields),
    names: checkNames(fields, [...editNames]),
    environment: fields.has('environment') ? checkEnvironment(fields) : valid(null),
    something: sent.length > 0 || picture !== null ? valid(null) : fault(nothingSent),
  });
  return read.ok ? { ok: true, edit: read.value.edit } : read;
}

const editNames: ReadonlySet<string> = new Set([...Object.values(contentFields), 'image', 'environment']);
const nothingSent = `Send at least one of ${Object.values(contentFields).join(', ')}, image`;

/** Names of a creation that decide the price, or are over. */
const fixedNames: readonly string[] = [...formNames, 'end_datetime'].filter((name) => !editNames.has(name));

/** If these were ignored like other unknown parts, an advertiser would think that the offer is shown to others now. */
function checkFixed(fields: FormFields): Reading<null> {
  const names = [...fields.keys()].filter((name) => meantName(name, fixedNames) !== undefined);
  if (names.length === 0) return valid(null);
  return fault(
    ...names.map((name) => `${shownName(name)} cannot be changed, it belongs to the price that was agreed`),
  );
}
