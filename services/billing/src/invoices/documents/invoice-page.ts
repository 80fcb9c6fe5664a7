/** An invoice or a credit note as a web page: readable on a phone, in light and dark mode, and printed without the parts for screens. */
import { createHash } from 'node:crypto';
import { escapeHtml as escape } from '@offer-ads/contracts/values/html-text';
import { foreignHtml as foreign, wordmark } from '@offer-ads/platform/pages/web-page';
import type { Fact, InvoiceDocument, Line, Party } from '../../domain/invoices/invoice-document.ts';

const style = `
  :root { color-scheme: light dark; --quiet: light-dark(#586172, #a3acbb); --rule: light-dark(#e1e5ec, #2b323e); --good: light-dark(#1a6c37, #7fd6a0); --alarm: light-dark(#b3261e, #ffa198); background: light-dark(#f6f7fa, #0e1117); color: light-dark(#141924, #e9ecf2) }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: clamp(0rem, 4vw, 3rem) clamp(0rem, 3vw, 1.25rem); max-width: 50rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
  main { padding: clamp(1.25rem, 5vw, 3rem); border: 1px solid var(--rule); border-radius: .75rem; background: light-dark(#fff, #161b23) }
  .brand { display: flex; gap: .5rem; align-items: center; margin: 0 0 2rem; font-weight: 700; letter-spacing: -.02em }
  header { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; justify-content: space-between }
  h1 { margin: 0; font-size: 1.75rem; line-height: 1.2 }
  h2 { margin: 0 0 .25rem; font-size: .875rem; font-weight: 600; color: var(--quiet) }
  .paid { padding: .125rem .75rem; border: .125rem solid; border-radius: .375rem; font-weight: 700; letter-spacing: .08em; color: var(--good) }
  .warning { margin: 1rem 0 0; padding: .75rem 1rem; border: .125rem solid; border-radius: .375rem; font-weight: 600; color: var(--alarm) }
  dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: .75rem 2rem; margin: 1.5rem 0 }
  dt { font-size: .875rem; color: var(--quiet) }
  dd { margin: 0; font-weight: 600 }
  .parties { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 1.25rem 2rem; margin: 1.5rem 0 2rem }
  .parties p { margin: 0 }
  .parties p:first-of-type { font-weight: 600 }
  table { width: 100%; border-collapse: collapse }
  caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  th, td { padding: .625rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--rule) }
  thead th { font-size: .875rem; color: var(--quiet) }
  th + td, thead th + th { padding-inline-start: 1rem; text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums }
  tbody th, tfoot th { font-weight: 400 }
  tfoot th { text-align: end }
  tfoot tr:last-child > * { font-size: 1.125rem; font-weight: 700; border-bottom: 0 }
  footer { margin-top: 1.5rem; color: var(--quiet) }
  footer p { margin: .5rem 0 }
  @page { margin: 18mm }
  @media print {
    :root { color-scheme: light; background: none; --quiet: #444; --rule: #bbb }
    body, main { padding: 0; max-width: none; border: 0; font-size: 10.5pt }
    tr, .parties section { break-inside: avoid }
  }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
];

/** The page may load only its own style, and no other page may frame it. */
export const invoicePageHeaders = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': [...policy, "frame-ancestors 'none'"].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The content security policy is also inside the page, so that it applies to a saved copy. */
export function invoicePage(document: InvoiceDocument): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(policy.join('; '))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(`${document.heading} ${document.number}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">${wordmark}</p>
<header>
<h1>${escape(document.heading)}</h1>
${document.stamp === null ? '' : `<div class="paid">${escape(document.stamp)}</div>\n`}</header>
${document.warning === null ? '' : `<p class="warning">${escape(document.warning)}</p>\n`}<dl>
${document.facts.map(factOf).join('\n')}
</dl>
<div class="parties">
${party(document.seller)}
${party(document.buyer)}
</div>
<table>
<caption>${escape(document.caption)}</caption>
<thead><tr><th scope="col">Description</th><th scope="col">Amount</th></tr></thead>
<tbody>
${document.lines.map(lineOf).join('\n')}
</tbody>
<tfoot>
${document.totals.map(total).join('\n')}
</tfoot>
</table>
<footer>
<p>${escape(document.paid)}</p>
${document.note === null ? '' : `<p>${escape(document.note)}</p>\n`}</footer>
</main>
</body>
</html>
`;
}

function lineOf({ description, title, amount }: Line): string {
  const below = title === null ? '' : `<br>${foreign(title)}`;
  return `<tr><th scope="row">${escape(description)}${below}</th><td>${escape(amount)}</td></tr>`;
}

function factOf({ name, value }: Fact): string {
  return `<div><dt>${escape(name)}</dt><dd>${foreign(value)}</dd></div>`;
}

function party({ role, lines }: Party): string {
  return `<section>\n<h2>${escape(role)}</h2>\n${lines.map((line) => `<p>${foreign(line)}</p>`).join('\n')}\n</section>`;
}

function total({ name, value }: Fact): string {
  return `<tr><th scope="row">${escape(name)}</th><td>${escape(value)}</td></tr>`;
}
