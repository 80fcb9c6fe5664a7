/** The texts of an offer's form and its address, as members will see them. Lengths count code points (decision 18a). */
import { type FormFields, fault, type Reading, single, valid } from './readings.ts';

const GREATEST_URL_LENGTH = 2_048;

type Limit = { readonly atMost: number };

/** Blanks and characters that nobody sees: an address behind them still looks like one, and alone they are nothing. */
const unseen = '[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*';
const nothingSeen = new RegExp(`^${unseen}$`, 'u');
const addressInFront = new RegExp(`^${unseen}(https?://|www\\.)`, 'iu');
/** By them one text would look like another; those of right-to-left scripts need none of these. */
const turnsReading = /[\u202a-\u202e\u2066-\u2069]/;

export function readText(fields: FormFields, name: string, limit: Limit): Reading<string> {
  if (nothingSeen.test(single(fields, name))) return fault(`${name} is missing`);
  return readOptionalText(fields, name, limit);
}

export function readOptionalText(fields: FormFields, name: string, { atMost }: Limit): Reading<string> {
  const text = single(fields, name);
  const length = codePoints(text);
  if (length > atMost) return fault(`${name} must have at most ${atMost} characters, it has ${length}`);
  // No store keeps it, and no reader shows it.
  if (text.includes('\0')) return fault(`${name} must not contain a NUL character`);
  return valid(text);
}

/** Null: the trading name is shown. */
export function readAdvertisedName(fields: FormFields): Reading<string | null> {
  const name = 'advertised_name';
  const length = readOptionalText(fields, name, { atMost: 100 });
  const text = single(fields, name);
  const faults = [
    ...(length.ok ? [] : length.faults),
    ...(addressInFront.test(text) ? [`${name} must not start with http://, https:// or www.`] : []),
    ...(/[<>]|&#?\w+;/.test(text) ? [`${name} must not contain HTML`] : []),
    ...(/[\p{Cc}\u2028\u2029]/u.test(text)
      ? [`${name} must not contain line breaks or control characters`]
      : []),
    ...(turnsReading.test(text) ? [`${name} must not turn the direction of reading`] : []),
  ];
  if (faults.length > 0) return fault(...faults);
  return valid(nothingSeen.test(text) ? null : text);
}

/** http or https, without user information, and never fetched (decision 18a). It is kept as it was sent. */
export function readUrl(fields: FormFields): Reading<string> {
  const text = single(fields, 'url');
  if (nothingSeen.test(text)) return fault('url is missing');
  const length = codePoints(text);
  if (length > GREATEST_URL_LENGTH) {
    return fault(`url must have at most ${GREATEST_URL_LENGTH} characters, it has ${length}`);
  }
  return isWebAddress(text)
    ? valid(text)
    : fault('url must be an http or https address without user information');
}

/**
 * Stricter than the parser, which drops blanks and control characters, takes a backslash for a slash and mends what is
 * missing: members' browsers get the text as it was sent, and other programs read such texts as another address.
 */
function isWebAddress(text: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(text) || turnsReading.test(text)) return false;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  return authority !== undefined && !authority.includes('@') && URL.canParse(text);
}

/** An emoji is one character, whatever its bytes. */
function codePoints(text: string): number {
  return Array.from(text).length;
}
