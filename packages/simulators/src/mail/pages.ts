/** The web pages of the mail sink: the list, and one message with its HTML in a sandbox. */
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { page } from '../web-server.ts';
import type { Message } from './mailbox.ts';

/** No scripts, no forms, no access to the page around it. A link opens a new tab. */
export const sandbox = 'allow-popups allow-popups-to-escape-sandbox';

const maxListed = 200;

export function listPage(messages: readonly Message[], to?: string): string {
  const newestFirst = messages.toReversed().slice(0, maxListed);
  const rows = newestFirst.map(
    (message) =>
      `<tr><td><a href="/messages/${message.id}">${escapeHtml(message.subject || '(no subject)')}</a>
<div class="quiet">to ${escapeHtml(message.to)}<br>${timeOf(message)}</div></td></tr>`,
  );
  const title = to ? `Mail to ${to}` : 'Mail';
  return page(
    title,
    `<h1>${escapeHtml(title)}</h1>
${rows.length > 0 ? `<table>\n${rows.join('\n')}\n</table>` : '<p>No mail has arrived yet.</p>'}`,
  );
}

export function messagePage(message: Message): string {
  const content = message.html
    ? `<iframe title="The message" sandbox="${sandbox}" src="/messages/${message.id}/html"></iframe>
<details><summary>As plain text</summary><pre style="white-space: pre-wrap">${escapeHtml(message.text)}</pre></details>`
    : `<pre style="white-space: pre-wrap">${escapeHtml(message.text)}</pre>`;
  return page(
    message.subject,
    `<p class="quiet"><a href="/">All mail</a></p>
<h1>${escapeHtml(message.subject || '(no subject)')}</h1>
<p class="quiet">from ${escapeHtml(message.from)}<br>to ${escapeHtml(message.to)}<br>${timeOf(message)}</p>
${content}`,
  );
}

/** The HTML of the mail for its frame; without the `base` element its links would open inside the frame. */
export function framedHtml({ html }: Message): string {
  const base = '<base target="_blank">';
  // Before a doctype it would switch the browser to quirks mode.
  return /<head>/i.test(html) ? html.replace(/<head>/i, `$&${base}`) : base + html;
}

/** `2026-06-01 12:00:00 UTC` */
function timeOf({ receivedAt }: Message): string {
  return `${escapeHtml(receivedAt.slice(0, 19).replace('T', ' '))} UTC`;
}

export function missingPage(): string {
  return page('Not found', '<h1>There is no such message (any more)</h1><p><a href="/">All mail</a></p>');
}
