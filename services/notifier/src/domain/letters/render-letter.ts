/** Renders a letter as a mail. Text and HTML are made from the same letter, so they have the same content. */
import type { Letter, Line } from './letter.ts';
import { letterPage } from './letter-page.ts';
import { oneLine } from './plain-text.ts';

export type Message = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Besides those of every mail. Names and values are our own, never from outside. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** A letter's content can add neither headers nor markup. */
export function render(letter: Letter): Message {
  const message = { subject: oneLine(letter.subject), text: textOf(letter), html: letterPage(letter) };
  return letter.unsubscribe === undefined
    ? message
    : { ...message, headers: unsubscribeHeaders(letter.unsubscribe.url) };
}

/** One click in the mail program, which then posts to the address itself (RFC 2369, RFC 8058). */
function unsubscribeHeaders(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function textOf({
  notice,
  heading,
  paragraphs,
  facts,
  amounts,
  action,
  reason,
  unsubscribe,
}: Letter): string {
  const blocks = [
    ...(notice === undefined ? [] : [oneLine(notice)]),
    oneLine(heading),
    ...paragraphs.map(oneLine),
    linesOf(facts),
    linesOf(amounts ?? []),
    action === undefined ? '' : `${oneLine(action.label)}:\n${oneLine(action.url)}`,
    `--\n${oneLine(reason)}`,
    unsubscribe === undefined ? '' : `${oneLine(unsubscribe.label)}:\n${oneLine(unsubscribe.url)}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function linesOf(lines: readonly Line[]): string {
  return lines.map(([label, value]) => `${oneLine(label)}: ${oneLine(value)}`).join('\n');
}
