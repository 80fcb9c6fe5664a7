/** The texts of an offer and its url, as members will see them. Lengths count code points (decision 18a, forms and formats). */
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { byFact, type OfferTexts } from '@offer-ads/contracts/values/offer-texts';
import { showsNothing, turnsReading } from '@offer-ads/contracts/values/shown-name';
import { type FormFields, fault, type Reading, single, valid } from '../readings.ts';

export function readTexts(fields: FormFields): {
  readonly [Text in keyof OfferTexts]: Reading<OfferTexts[Text]>;
} {
  return byFact((_text, { field, atMost, isRequired, isTradingNameIfEmpty, faultsOf }) => {
    const text = single(fields, field);
    const isEmpty = showsNothing(text);
    if (isRequired && isEmpty) return fault(`${field} is missing`);
    const length = codePoints(text);
    const faults = [
      ...(length > atMost ? [`must have at most ${atMost} characters, it has ${length}`] : []),
      // Postgres cannot store it, and no reader can show it.
      ...(text.includes('\0') ? ['must not contain a NUL character'] : []),
      ...faultsOf(text),
    ];
    if (faults.length > 0) return fault(...faults.map((problem) => `${field} ${problem}`));
    return valid(isTradingNameIfEmpty && isEmpty ? null : text);
  }) as never;
}

/** http or https, without user information; the url is never fetched (decision 18a, forms and formats). It is stored as it was sent. */
export function readUrl(fields: FormFields): Reading<string> {
  const text = single(fields, 'url');
  if (showsNothing(text)) return fault('url is missing');
  const length = codePoints(text);
  if (length > offerLimits.url) {
    return fault(`url must have at most ${offerLimits.url} characters, it has ${length}`);
  }
  if (!isWebAddress(text)) return fault('url must be an http or https address without user information');
  // The `Location` of a click: with a character of the text in up to twelve of its own, proxies would refuse the longest.
  const escaped = new URL(text).href.length;
  return escaped > offerLimits.url
    ? fault(`url must have at most ${offerLimits.url} characters when it is escaped, it has ${escaped}`)
    : valid(text);
}

/**
 * Stricter than the URL parser, which removes blanks and control characters, takes a backslash for a slash and completes missing parts.
 * Members' browsers get the text as it was sent, and other programs may parse such a text as another address.
 */
function isWebAddress(text: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(text) || turnsReading(text)) return false;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  return authority !== undefined && !authority.includes('@') && URL.canParse(text);
}

/** An emoji counts as one character, however many bytes it has. */
function codePoints(text: string): number {
  return Array.from(text).length;
}
