/** The frame of the pages that the gateway itself writes: readable on a phone, in light and dark, without a script. */
import { policyOf } from '@offer-ads/platform/pages/built-pages';
import { escapeHtml } from '@offer-ads/platform/pages/web-page';

export const sitePolicy = policyOf([
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
]);

/** @param main HTML */
export function sitePage(o: { readonly title: string; readonly main: string }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(o.title)}</title>
    <link rel="icon" href="/assets/icon.svg" />
    <link rel="stylesheet" href="/assets/site.css" />
  </head>
  <body>
    <header class="site-bar">
      <a class="brand" href="/"><img class="mark" src="/assets/icon.svg" alt="" width="28" height="28" />Offer Ads</a>
      <nav aria-label="Site"><a href="/docs">Guides</a> <a class="button quiet" href="/portal">Portal</a></nav>
    </header>
    <main class="status">
${o.main}
    </main>
    <footer class="site-foot"><a href="/status">Status</a> <a href="/contact">Contact and legal</a></footer>
  </body>
</html>
`;
}
