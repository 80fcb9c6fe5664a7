/** Text from outside made harmless: on one line, without the characters that steer headers, terminals or reading order. */

/** Control characters, line and paragraph separators, and what turns the direction of reading. */
const steering = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

export function oneLine(text: string): string {
  return text.replace(steering, ' ').replace(/ {2,}/g, ' ').trim();
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
