/** The texts of an offer and its url, as members will see them. Lengths count code points (decision 18a, forms and formats). */
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { faultsOfShownName, showsNothing, turnsReading } from '@offer-ads/contracts/values/shown-name';
import { type FormFields, fault, type Reading, single, valid } from '../readings.ts';

type Limit = { readonly atMost: number };

export function readText(fields: FormFields, name: string, limit: Limit): Reading<string> {
  if (showsNothing(single(fields, name))) return fault(`${name} is missing`);
  return readOptionalText(fields, name, limit);
}

export function readOptionalText(fields: FormFields, name: string, { atMost }: Limit): Reading<string> {
  const text = single(fields, name);
  const length = codePoints(text);
  if (length > atMost) return fault(`${name} must have at most ${atMost} characters, it has ${length}`);
  // Postgres cannot store it, and no reader can show it.
  if (text.includes('\0')) return fault(`${name} must not contain a NUL character`);
  return valid(text);
}

/** Null if it was omitted: the trading name is shown. */
export function readAdvertisedName(fields: FormFields): Reading<string | null> {
  const name = 'advertised_name';
  const length = readOptionalText(fields, name, { atMost: offerLimits.advertisedName });
  const text = single(fields, name);
  const faults = [
    ...(length.ok ? [] : length.faults),
    ...faultsOfShownName(text).map((problem) => `${name} ${problem}`),
  ];
  if (faults.length > 0) return fault(...faults);
  return valid(showsNothing(text) ? null : text);
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
