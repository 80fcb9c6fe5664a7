/** The result of a logged call, and its entry in the guides. */
import type { CallsReply } from '@offer-ads/contracts/portal/organisation-api';

type Logged = CallsReply['calls'][number];

export type Heed = 'good' | 'warning' | 'problem';

/** A refusal may have status 200 and a code that begins with E (specification, Errors). */
export function heedOf({ status, returnCode }: Pick<Logged, 'status' | 'returnCode'>): Heed {
  if (status >= 500) return 'problem';
  return status >= 400 || returnCode?.startsWith('E') === true ? 'warning' : 'good';
}

/** A call to an address, or with a method, that no endpoint has. The log keeps no such address (decision 27, call log). */
export function isUnmatched({ route }: Pick<Logged, 'route'>): boolean {
  return route.endsWith(' unmatched');
}

/** Messages of a refusal, with the heading that the guide gives them, if any. */
export type MessageList = { readonly heading: string | null; readonly messages: readonly string[] };
export type Paragraph = { readonly heading: string | null; readonly text: string };
export type Entry = { readonly paragraphs: readonly Paragraph[]; readonly lists: readonly MessageList[] };
/** A paragraph has a text, a list has messages. */
export type EntryPart = { readonly text: string } | { readonly messages: readonly string[] };

/**
 * An entry of the guide from its parts. "Why" and "What to do" are headings of their paragraphs, and a paragraph before a list is its heading
 * when it ends with a colon.
 */
export function entryOf(parts: readonly EntryPart[]): Entry {
  const paragraphs: string[] = [];
  const lists: MessageList[] = [];
  for (const part of parts) {
    if ('text' in part) paragraphs.push(part.text);
    else {
      const heading = paragraphs.at(-1)?.endsWith(':') === true ? (paragraphs.pop() ?? null) : null;
      lists.push({ heading, messages: part.messages });
    }
  }
  return { paragraphs: paragraphs.map(headed), lists };
}

function headed(text: string): Paragraph {
  const [, heading = null, rest = text] = /^(Why|What to do): (.*)$/s.exec(text) ?? [];
  return { heading, text: rest };
}

/** The address of the call's entry in the guide to errors; null when it succeeded or the caller disconnected before the reply. */
export function guideTo({ guideEntry }: Pick<Logged, 'guideEntry'>): string | null {
  return guideEntry === null ? null : `/docs/errors#${guideEntry}`;
}
