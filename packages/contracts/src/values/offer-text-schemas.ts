/** The schemas of an offer's texts, made from their table. */
import { z } from 'zod';
import { byFact, byField, type ListedTexts, type OfferText, type offerTexts } from './offer-texts.ts';

type Rows = typeof offerTexts;

/** As members read them, in the tools of the staff. */
export const shownTexts = byFact(() => z.string());

/** The same in events. */
export const eventTexts = byFact((_text, { isMissingInOldEvents }) =>
  isMissingInOldEvents === true ? z.string().optional() : z.string(),
) as {
  readonly [Text in OfferText]: Rows[Text] extends { isMissingInOldEvents: true }
    ? z.ZodOptional<z.ZodString>
    : z.ZodString;
};

/** As communities get them. */
export const cardTexts = byField((_text, { isRequired, isTradingNameIfEmpty }) =>
  isTradingNameIfEmpty
    ? z.string().meta({ description: 'The name to show.' })
    : isRequired
      ? z.string()
      : z.string().meta({ description: 'Empty if there are none.' }),
);

/** As lists have them. */
export const listedTexts = byField((_text, { isTradingNameIfEmpty, whenListed }) => {
  const schema = isTradingNameIfEmpty ? z.string().nullable() : z.string();
  return whenListed === undefined ? schema : schema.meta({ description: whenListed });
}) as {
  readonly [Field in keyof ListedTexts]: null extends ListedTexts[Field]
    ? z.ZodNullable<z.ZodString>
    : z.ZodString;
};

/** As the form of a creation has them. */
export const formTexts = byField((_text, { atMost, isRequired, example, whenCreated }) => {
  const schema = isRequired ? z.string().min(1).max(atMost) : z.string().max(atMost).optional();
  return schema.meta({ ...(whenCreated !== undefined && { description: whenCreated }), examples: [example] });
}) as {
  readonly [Text in OfferText as Rows[Text]['field']]: Rows[Text]['isRequired'] extends true
    ? z.ZodString
    : z.ZodOptional<z.ZodString>;
};

export const eachFormText = byField(() => true as const);

/** What the empty text does in an edit, for the API reference. */
export const whenEmptied = Object.values(
  byField((_text, { field, whenEmptied: does }) => does && `an empty \`${field}\` ${does}`),
)
  .filter((sentence) => sentence !== undefined)
  .join(', ');
