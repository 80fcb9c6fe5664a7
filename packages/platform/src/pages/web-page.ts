/** Single HTML pages without scripts, made for phones first. They load nothing from elsewhere and cannot be framed. */
import { createHash } from 'node:crypto';
import { policyOf } from './built-pages.ts';

export type WebPage = { readonly status: number; readonly html: string };

const style = `
  :root { color-scheme: light dark; --accent: light-dark(#1a56db, #8ab4ff); --on-accent: light-dark(#fff, #0b1a33); --quiet: light-dark(#565c66, #a7adb8) }
  body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 32rem; font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.2 }
  a { color: var(--accent) }
  button, .button { display: inline-block; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer }
  :is(a, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .quiet { color: var(--quiet); font-size: .9375rem }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

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

/** @param o HTML in which all input is escaped already */
export function webPage({ title, heading, body }: { title: string; heading: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`;
}
