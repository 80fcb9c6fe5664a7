/** The frame of all pages around the portal and the guides, which web builds or the gateway writes. It needs no script. */

type SitePage = {
  /** HTML, as everything here. */
  readonly title: string;
  readonly description: string;
  readonly main: string;
  /** `status`: a list in a narrow column. */
  readonly look?: 'status';
  /** More elements of the head. */
  readonly head?: readonly string[];
};

export function sitePage({ title, description, main, look, head = [] }: SitePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
${[...head, '<link rel="stylesheet" href="/assets/site.css">'].join('\n')}
</head>
<body>
<header class="site-bar">
<a class="brand" href="/"><img class="mark" src="/assets/icon.svg" alt="" width="28" height="28">Offer Ads</a>
<nav aria-label="Site">
<a href="/docs">Guides</a>
<a class="wide" href="/docs/reference">API reference</a>
<a class="wide" href="/status">Status</a>
<a class="button quiet" href="/portal">Sign in</a>
</nav>
</header>
<main${look === undefined ? '' : ` class="${look}"`}>
${main}
</main>
<footer class="site-foot">
<span>Offer Ads</span>
<a href="/docs/reference">API reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="/status">Status</a>
<a href="/contact">Contact and legal</a>
</footer>
</body>
</html>
`;
}
