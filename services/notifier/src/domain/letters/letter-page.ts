/** A letter as HTML: readable on a phone, in light and dark mode, and in mail programs that support only tables and inline styles. */
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import type { Letter, Line } from './letter.ts';
import { oneLine, oneLineHtml } from './plain-text.ts';

/** The colours of web/ui/theme. The light style is inline in each element, for programs that drop `<style>`; the others may use dark mode. */
const light = {
  page: 'background:#f6f7fa',
  card: 'background:#ffffff;color:#141924',
  quiet: 'color:#586172',
  rule: 'border-top:1px solid #e1e5ec',
  notice: 'background:#fff4df;color:#6b4300',
  button: 'background:#2358e0;color:#ffffff',
  link: 'color:#1d53d6',
} as const;

const dark = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#0e1117!important}
.card{background:#161b23!important;color:#e9ecf2!important}
.brand{color:#e9ecf2!important}
.quiet{color:#a3acbb!important}
.rule{border-color:#2b323e!important}
.notice{background:#33280f!important;color:#f4c26d!important}
.button{background:#3567e0!important;color:#ffffff!important}
.link{color:#8db5ff!important}
}
@media (max-width:480px){.button{display:block!important}}`;

const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** Drawn with styles alone, because many mail programs load no pictures. */
const wordmark =
  '<span aria-hidden="true" style="display:inline-block;width:10px;height:10px;margin-right:8px;border:4px solid #2358e0;border-radius:50%;vertical-align:-3px"></span>Offer Ads';
/** Breaks long words, so that they do not widen the page. */
const breaks = 'overflow-wrap:anywhere;word-break:break-word';
const table = 'role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"';

export function letterPage(letter: Letter): string {
  const { subject, notice, heading, paragraphs, facts, amounts, action, reason, unsubscribe } = letter;
  const parts = [
    notice === undefined ? '' : noticeOf(notice),
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:700">${oneLineHtml(heading)}</h1>`,
    ...paragraphs.map((text) => `<p style="margin:0 0 16px">${oneLineHtml(text)}</p>`),
    facts.length === 0 ? '' : factsOf(facts),
    amounts === undefined ? '' : amountsOf(amounts),
    action === undefined ? '' : buttonOf(action),
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no">
<title>${escapeHtml(oneLine(subject))}</title>
<style>${dark}
</style>
</head>
<body class="page" style="margin:0;padding:0;${light.page};-webkit-text-size-adjust:100%">
${preview(paragraphs[0] ?? '')}
<table ${table} class="page" style="${light.page}"><tr><td align="center" style="padding:24px 12px">
<table ${table} style="max-width:560px;table-layout:fixed"><tr><td class="brand" style="padding:0 24px 16px;color:#141924;font:700 17px/1.3 ${font}">${wordmark}</td></tr>
<tr><td class="card" style="padding:28px 24px 24px;border-radius:12px;${light.card};font:16px/1.55 ${font};${breaks}">
${parts.filter((part) => part !== '').join('\n')}
</td></tr>
<tr><td class="quiet" style="padding:16px 24px 0;${light.quiet};font:13px/1.5 ${font};${breaks}">
${oneLineHtml(reason)}${unsubscribe === undefined ? '' : `<br>${linkOf(unsubscribe)}`}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The text that mail programs show beside the subject in lists. */
function preview(text: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${oneLineHtml(text)}</div>`;
}

function noticeOf(text: string): string {
  return `<p class="notice" style="margin:0 0 20px;padding:8px 12px;border-radius:6px;${light.notice};font-size:14px">${oneLineHtml(text)}</p>`;
}

function factsOf(facts: readonly Line[]): string {
  const cell = `padding:9px 0;${light.rule};vertical-align:top`;
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td class="rule quiet" width="36%" style="${cell};padding-right:12px;${light.quiet};font-size:14px;line-height:23px">${oneLineHtml(label)}</td><td class="rule" style="${cell}">${oneLineHtml(value)}</td></tr>`,
  );
  return `<table ${table} style="margin:4px 0 12px;font:16px/1.45 ${font};color:inherit;${breaks}">\n${rows.join('\n')}\n</table>`;
}

/** Amounts are aligned below each other; the last line is the most important one. */
function amountsOf(amounts: readonly Line[]): string {
  const rows = amounts.map(([label, value], index) => {
    const weight = index === amounts.length - 1 ? ';font-weight:700' : '';
    const cell = `padding:9px 0;${light.rule}${weight}`;
    return `<tr><td class="rule" style="${cell}">${oneLineHtml(label)}</td><td class="rule" align="right" style="${cell};padding-left:12px;white-space:nowrap;font-variant-numeric:tabular-nums">${oneLineHtml(value)}</td></tr>`;
  });
  return `<table ${table} style="margin:4px 0 12px;font:16px/1.45 ${font};color:inherit">\n${rows.join('\n')}\n</table>`;
}

/** The address is also written out, for people who distrust buttons and for programs that show no links. */
function buttonOf({ label, url }: { label: string; url: string }): string {
  const address = escapeHtml(oneLine(url));
  return `<p style="margin:24px 0 10px"><a class="button" href="${address}" style="display:inline-block;padding:13px 24px;border-radius:8px;${light.button};font-weight:600;line-height:1.3;text-align:center;text-decoration:none">${oneLineHtml(label)}</a></p>
<p class="quiet" style="margin:0;${light.quiet};font-size:13px;line-height:1.45;word-break:break-all">${address}</p>`;
}

function linkOf({ label, url }: { label: string; url: string }): string {
  return `<a class="link" href="${escapeHtml(oneLine(url))}" style="${light.link}">${oneLineHtml(label)}</a>`;
}
