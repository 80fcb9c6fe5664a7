/** Where a refusal of the service stands in the form, and in which words. */
import type { DraftField, Faults } from './draft.ts';

const fieldsOfService: Readonly<Record<string, DraftField>> = {
  category_id: 'category',
  title: 'title',
  description: 'description',
  terms_and_conditions: 'terms',
  advertised_name: 'advertisedName',
  url: 'url',
  image: 'picture',
  'location[]': 'place',
  radius: 'radius',
  'gender[]': 'genders',
  'interests[]': 'interests',
  start_datetime: 'start',
  expiry_datetime: 'end',
  end_datetime: 'end',
  payment_method: 'payment',
};

/** Where codes of a refused creation or estimate belong; the others are about the whole. */
const fieldsOfCodes: Readonly<Record<string, DraftField>> = { E2: 'picture', E3: 'payment', E5: 'place' };

/** Where the service's words are for developers, or say only what is wrong and not what to do. */
const wordsOfCodes: Readonly<Record<string, string>> = {
  E5: 'No member fits this place and audience. Widen the circle, move it, or leave out genders and interests.',
  E9: 'Your organisation has not accepted the current advertising terms. Nothing was created or charged.',
};

export type Placed = { readonly faults: Faults; readonly rest: string | null };

/** A refusal at the fields that it names; `rest` belongs to the form as a whole. */
export function placeRefusal(code: string | null, serviceSays: string): Placed {
  const message = (code === null ? undefined : wordsOfCodes[code]) ?? serviceSays;
  const field = code === null ? undefined : fieldsOfCodes[code];
  if (field !== undefined) return { faults: { [field]: message }, rest: null };
  if (code !== 'E1') return { faults: {}, rest: message };
  const faults: { [F in DraftField]?: string } = {};
  const rest: string[] = [];
  for (const part of message.replace(/\.$/, '').split('; ')) {
    const [name = '', ...words] = part.split(' ');
    const named = fieldsOfService[name];
    if (named !== undefined) faults[named] = `It ${words.join(' ')}.`;
    else if (part.startsWith('A card payment')) faults.payment = `${part}.`;
    else if (/picture|image/i.test(part)) faults.picture = `${part}.`;
    else rest.push(`${part}.`);
  }
  return { faults, rest: rest.length === 0 ? null : rest.join(' ') };
}
