/** Text from outside made harmless: on one line, without the characters that steer headers, terminals or reading order. */
import { legible } from '@offer-ads/contracts/legible-text';

/** Control characters, line and paragraph separators, and what turns the direction of reading. */
const steering = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Of whatever is said in a letter: its own words, and those of others within. */
export function oneLine(text: string): string {
  return tidy(withoutMarks(text).replace(steering, ' '));
}

/**
 * Words of others within our own: made legible and marked by U+2068 and U+2069, so that HTML can keep their direction of
 * reading to themselves.
 */
export function foreign(text: string): string {
  return `\u2068${legible(text)}\u2069`;
}

/** The same as `oneLine` as element content. */
export function oneLineHtml(text: string): string {
  const pieces = text.split(/\u2068([^\u2068\u2069]*)\u2069/);
  const html = pieces.map((piece, index) => {
    const harmless = escapeHtml(piece.replace(steering, ' '));
    return index % 2 === 1 ? `<bdi>${harmless}</bdi>` : harmless;
  });
  return tidy(html.join(''));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For element content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function withoutMarks(text: string): string {
  return text.replace(/\u2068([^\u2068\u2069]*)\u2069/g, '$1');
}

function tidy(text: string): string {
  return text.replace(/ {2,}/g, ' ').trim();
}
