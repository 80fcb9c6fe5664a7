/**
 * The texts of an offer, one row each (specification, Create). From a row come its field in forms and replies, its rules, its column, its
 * place in events and on members' cards, and its fields on the pages. Members read all of them. How to add one: docs/recipes.md.
 */
import { faultsOfShownName } from './shown-name.ts';

type Row = {
  /** Its name in the API. */
  readonly field: string;
  /** Its name on pages. */
  readonly label: string;
  /** In characters, which are Unicode code points. */
  readonly atMost: number;
  readonly isRequired: boolean;
  /** If it is empty, it is stored and listed as null, and members read the organisation's trading name. */
  readonly isTradingNameIfEmpty: boolean;
  /** Events of an earlier release do not have it, so it is optional in their schemas. */
  readonly isMissingInOldEvents?: true;
  /** What is wrong with a text apart from its length; each message follows the field's name. */
  readonly faultsOf: (text: string) => readonly string[];
  /** For the API reference: an example, and what a caller must know of a creation, of an empty text in an edit, and of the lists. */
  readonly example: string;
  readonly whenCreated?: string;
  readonly whenEmptied?: string;
  readonly whenListed?: string;
};

const plain = { isTradingNameIfEmpty: false, faultsOf: () => [] } as const;

/** By the name of the fact, in the order of forms and pages. */
export const offerTexts = {
  title: { ...plain, field: 'title', label: 'Title', atMost: 40, isRequired: true, example: 'Two for one' },
  description: {
    ...plain,
    field: 'description',
    label: 'Description',
    atMost: 500,
    isRequired: true,
    example: 'Bring a friend: the second main course is on the house.',
  },
  termsAndConditions: {
    ...plain,
    field: 'terms_and_conditions',
    label: 'Terms and conditions',
    atMost: 500,
    isRequired: false,
    example: 'Not with other offers.',
    whenEmptied: 'removes the terms',
  },
  advertisedName: {
    field: 'advertised_name',
    label: 'Advertised name',
    atMost: 100,
    isRequired: false,
    isTradingNameIfEmpty: true,
    faultsOf: faultsOfShownName,
    example: 'The Corner Table',
    whenCreated:
      'No `http://`, `https://` or `www.` in front, no HTML, no line breaks. Empty: the trading name is shown.',
    whenEmptied: 'shows the trading name',
    whenListed: 'Null when the trading name is shown.',
  },
} as const satisfies Record<string, Row>;

type Rows = typeof offerTexts;
export type OfferText = keyof Rows;
/** The texts of an offer by fact, as they are stored. */
export type OfferTexts = {
  readonly [Text in OfferText]: Rows[Text]['isTradingNameIfEmpty'] extends true ? string | null : string;
};
/** The same by field, as they are listed. */
export type ListedTexts = { readonly [Text in OfferText as Rows[Text]['field']]: OfferTexts[Text] };

export const offerTextFacts = Object.keys(offerTexts) as readonly OfferText[];

export function textRow(text: OfferText): Row {
  return offerTexts[text];
}

/** An object with a value for each text, by fact. */
export function byFact<T>(valueOf: (text: OfferText, row: Row) => T): { readonly [Text in OfferText]: T } {
  return Object.fromEntries(offerTextFacts.map((text) => [text, valueOf(text, textRow(text))])) as {
    [Text in OfferText]: T;
  };
}

/** The same by field. */
export function byField<T>(valueOf: (text: OfferText, row: Row) => T): {
  readonly [Field in keyof ListedTexts]: T;
} {
  return Object.fromEntries(
    offerTextFacts.map((text) => [textRow(text).field, valueOf(text, textRow(text))]),
  ) as { [Field in keyof ListedTexts]: T };
}

export function listedTexts(texts: OfferTexts): ListedTexts {
  return byField((text) => texts[text]) as ListedTexts;
}
