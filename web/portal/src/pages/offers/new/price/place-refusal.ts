/** Maps refusals of the service to fields of the form and to texts for people. */
import { byField } from '@offer-ads/contracts/values/offer-texts';
import { type DraftField, type Faults, fieldNames } from '../draft.ts';

const fieldsOfService: Readonly<Record<string, DraftField>> = {
  category_id: 'category',
  ...byField((text) => text),
  url: 'url',
  image: 'picture',
  'location[]': 'place',
  places: 'place',
  radius: 'radius',
  'gender[]': 'genders',
  'interests[]': 'interests',
  start_datetime: 'start',
  expiry_datetime: 'end',
  end_datetime: 'end',
  payment_method: 'payment',
};

/** The fields of refusal codes; other codes concern the whole form. */
const fieldsOfCodes: Readonly<Record<string, DraftField>> = { E2: 'picture', E3: 'payment', E5: 'place' };

/** Replaces messages of the service that are for developers or do not say what to do. */
const wordsOfCodes: Readonly<Record<string, string>> = {
  E5: 'No members match. Enlarge or move the circle, or remove genders and interests.',
  E9: 'Your organisation has not accepted the current advertising terms. Nothing was created or charged.',
};

/** A form that is sent again after minutes, because its answer was lost, has an expired quote. */
const PRICE_NOT_HELD = 'The price is no longer held. Create the offer again: you see the new price first.';

/** After the service's sentence, which has the amounts. */
const ABOVE_LIMIT =
  'Nothing was created. Make the offer cheaper, for example shorter, or ask an admin of your organisation for a higher limit.';

/** The picture of a deleted offer is kept for some weeks. */
const COPIED_PICTURE_GONE = 'The picture of the copied offer is not kept any more. Choose a picture.';

export type Placed = { readonly faults: Faults; readonly rest: string | null };

/** The messages of a refusal by field; `rest` is for the whole form. */
export function placeRefusal(code: string | null, serviceSays: string): Placed {
  const message = (code === null ? undefined : wordsOfCodes[code]) ?? serviceSays;
  const field = code === null ? undefined : fieldsOfCodes[code];
  if (field !== undefined) return { faults: { [field]: message }, rest: null };
  if (code !== 'E1') return { faults: {}, rest: message };
  const faults: { [F in DraftField]?: string } = {};
  const rest: string[] = [];
  for (const part of message.replace(/\.$/, '').split('; ')) {
    const [name = '', ...words] = part.split(' ');
    // "places[2].label" is about the places.
    const named = fieldsOfService[name] ?? fieldsOfService[name.split(/[[.]/)[0] ?? ''];
    if (named !== undefined) faults[named] = `${fieldNames[named]} ${words.join(' ')}.`;
    else if (part.startsWith('A card payment')) faults.payment = `${part}.`;
    else if (name === 'image_offer_id') faults.picture = COPIED_PICTURE_GONE;
    else if (part.startsWith('The cost is')) rest.push(`${part}. ${ABOVE_LIMIT}`);
    else if (name === 'quote_id') rest.push(PRICE_NOT_HELD);
    else if (/picture|image/i.test(part)) faults.picture = `${part}.`;
    else rest.push(`${part}.`);
  }
  return { faults, rest: rest.length === 0 ? null : rest.join(' ') };
}
