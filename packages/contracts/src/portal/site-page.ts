/** The head of every built page without an app, and the frame of those around the portal and the guides, which web builds or the gateway writes. */

type Head = {
  /** HTML, as everything here. */
  readonly title: string;
  /** Empty: none. */
  readonly description: string;
  readonly icon: string;
  /** More elements of the head, in their order. */
  readonly elements: readonly string[];
};

/** The beginning of a page, before its body. */
export function pageHead({ title, description, icon, elements }: Head): string {
  const described = description === '' ? [] : [`<meta name="description" content="${description}">`];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${[...described, `<title>${title}</title>`, `<link rel="icon" href="${icon}">`, ...elements].join('\n')}
</head>`;
}

/** The font is loaded at once, so that the text does not change later. */
export function fontAtOnce(font: string): string {
  return `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>`;
}

type SitePage = {
  readonly title: string;
  readonly description: string;
  readonly main: string;
  /** `status`: a list in a narrow column. */
  readonly look?: 'status';
  /** More elements of the head. */
  readonly head?: readonly string[];
};

/** It needs no script. */
export function sitePage({ title, description, main, look, head = [] }: SitePage): string {
  const style = '<link rel="stylesheet" href="/assets/site.css">';
  return `${pageHead({ title, description, icon: '/assets/icon.svg', elements: [...head, style] })}
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
