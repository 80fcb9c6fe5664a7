/**
 * Makes text from outside harmless: one line, without characters that control headers, terminals or reading order, and without what mail
 * programs turn into links.
 */
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { legible } from '@offer-ads/contracts/values/legible-text';

/** Control characters, line and paragraph separators, and characters that change the reading direction. */
const steering = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** For every text in a letter, our own and that of others. */
export function oneLine(text: string): string {
  return tidy(withoutMarks(text).replace(steering, ' '));
}

/**
 * Text of others within our own: made legible, without links, and enclosed in U+2068 and U+2069, so that its reading direction does not
 * affect the rest.
 */
export function foreign(text: string): string {
  return marked(withoutLinks(legible(text)));
}

/** Long enough for the names of most organisations, too short to contain a message. */
const maxOfName = 60;
/** Seven digits or more, with the usual separators: a phone shows them as a number to call. */
const callable = /\+?\d(?:[\s().\-/]*\d){6,}/gu;

/** A name in a mail to a person who may not know its owner: short, and without a phone number. */
export function foreignName(text: string): string {
  const characters = Array.from(withoutLinks(legible(text)).replace(callable, '…'));
  const short = characters.length > maxOfName ? [...characters.slice(0, maxOfName - 1), '…'] : characters;
  return marked(short.join(''));
}

/** An email address in such a mail, written out, so that a mail program makes no link of it: `ann [at] cafe [dot] example`. */
export function foreignAddress(email: string): string {
  return foreignName(legible(email).replace(anyAt, ' [at] ').replace(anyStop, ' [dot] '));
}

/** A full stop as in domain names: also the ideographic, small and full-width ones, and the one dot leader. */
const stop = '[.\\u2024\\u3002\\ufe52\\uff0e\\uff61]';
const anyStop = new RegExp(stop, 'gu');
const anyAt = /[@\ufe6b\uff20]/gu;
const machineAddress = /\d+(?:\.\d+){3,}/gu;
/** Between words. A full stop in a number stays: `3.50` is no domain, because no domain ends in digits. */
const stopInDomain = new RegExp(
  `(?<=\\S)${stop}+(?=[\\p{L}\\p{M}\\p{S}\\p{Cf}_-])|(?<=[^\\s\\d])${stop}+(?=\\d)`,
  'gu',
);
const atInAddress = /(?<=\S)[@\ufe6b\uff20](?=\S)/gu;
const schemeEnd = /(?<=\p{L}):(?=\S)/gu;
const slashes = /[\\/]{2,}/gu;

/** Mail programs turn domains, addresses and paths into links, so a blank is inserted into each. */
function withoutLinks(text: string): string {
  return text
    .replace(atInAddress, ' at ')
    .replace(machineAddress, (address) => address.replaceAll('.', ' '))
    .replace(stopInDomain, ' ')
    .replace(schemeEnd, ': ')
    .replace(slashes, ' ')
    .trim();
}

/** `oneLine` for the content of HTML elements. */
export function oneLineHtml(text: string): string {
  const pieces = text.split(/\u2068([^\u2068\u2069]*)\u2069/);
  const html = pieces.map((piece, index) => {
    const harmless = escapeHtml(piece.replace(steering, ' '));
    return index % 2 === 1 ? `<bdi>${harmless}</bdi>` : harmless;
  });
  return tidy(html.join(''));
}

function marked(text: string): string {
  return `\u2068${text}\u2069`;
}

function withoutMarks(text: string): string {
  return text.replace(/\u2068([^\u2068\u2069]*)\u2069/g, '$1');
}

function tidy(text: string): string {
  return text.replace(/ {2,}/g, ' ').trim();
}
