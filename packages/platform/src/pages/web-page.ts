/** Single HTML pages without scripts, made for phones first. They load nothing from elsewhere and cannot be framed. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import { policyOf } from './built-pages.ts';

export type WebPage = { readonly status: number; readonly html: string };

/** The colours are those of web/ui/theme/theme-colours.css, which other origins than the gateway's do not have. */
const style = `
  :root { color-scheme: light dark; --accent: light-dark(#1d53d6, #8db5ff); --solid: light-dark(#2358e0, #3567e0); --quiet: light-dark(#586172, #a3acbb); --line: light-dark(#e1e5ec, #2b323e); --good: light-dark(#1a6c37, #7fd6a0); --good-soft: light-dark(#e5f5eb, #14301f); background: light-dark(#f6f7fa, #0e1117); color: light-dark(#141924, #e9ecf2) }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: clamp(1.5rem, 9vh, 6rem) 1rem 2rem; max-width: 30rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
  header { display: flex; gap: .6rem; align-items: center; justify-content: center; margin-bottom: 1.5rem; font-size: 1.15rem; font-weight: 700; letter-spacing: -.02em }
  main { padding: clamp(1.25rem, 6vw, 2.25rem); border: 1px solid var(--line); border-radius: .75rem; background: light-dark(#fff, #161b23); box-shadow: 0 12px 32px light-dark(rgb(16 24 40 / 10%), rgb(0 0 0 / 50%)) }
  h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em }
  p { margin: .75rem 0 0 }
  a { color: var(--accent) }
  button, .button { display: inline-block; margin-top: .75rem; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: var(--solid); color: #fff; font: inherit; font-weight: 600; text-decoration: none; cursor: pointer }
  :is(a, button):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  .quiet { color: var(--quiet); font-size: .9375rem }
  .tick { width: 3rem; height: 3rem; margin-bottom: 1rem; padding: .75rem; border-radius: 50%; background: var(--good-soft); fill: none; stroke: var(--good); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .6rem 1.5rem; margin: 1.25rem 0; padding: 1rem 0; border-block: 1px solid var(--line) }
  dt { color: var(--quiet) }
  dd { margin: 0; text-align: end; font-weight: 600; font-variant-numeric: tabular-nums }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** The wordmark, as in web/ui/brand.tsx. */
export const wordmark: string =
  '<svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2358e0"/><circle cx="14.5" cy="17.5" r="7.5" fill="none" stroke="#fff" stroke-width="3.5"/><circle cx="22.5" cy="9.5" r="4.5" fill="#ffc24b" stroke="#2358e0" stroke-width="2"/></svg>Offer Ads';
const tick =
  '<svg class="tick" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 12.5l5.5 5.5L20 7"/></svg>\n';

/** Allows only the page's own style. Sends no referrer, because the page's address may contain a credential. */
export function webPageHeaders({ hasForm }: { readonly hasForm: boolean }) {
  const sources = ["default-src 'none'", `style-src 'sha256-${styleHash}'`];
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policyOf(sources, hasForm ? "'self'" : "'none'"),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  } as const;
}

type PageContent = {
  readonly title: string;
  readonly heading: string;
  readonly body: string;
  /** Something was done: shows a tick above the heading. */
  readonly done?: boolean;
};

/** @param o HTML in which all input is escaped already */
export function webPage({ title, heading, body, done = false }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>${wordmark}</header>
<main>
${done ? tick : ''}<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`;
}

/** Text that others wrote. The isolation keeps its text direction from changing the rest of the page. */
export function foreignHtml(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}
