/** The frame of a reference: what stands there before its scripts, and without them. */

/** Addresses under `/docs/assets`, which change with what is in them. */
export type ReferenceAssets = {
  readonly styles: readonly string[];
  readonly script: string;
  /** What the script imports at once: asked for together with it. */
  readonly imports: readonly string[];
  readonly before: string;
  readonly theme: string;
  readonly icon: string;
};

/** Where the OpenAPI document of each is. */
export const references = {
  'reference.html': { title: 'Offer Advertising API', description: '/openapi.json' },
  'portal-reference.html': { title: 'Advertiser portal API', description: '/portal/openapi.json' },
} as const;

export function referencePage(
  { title, description }: { readonly title: string; readonly description: string },
  assets: ReferenceAssets,
): string {
  const styles = assets.styles.map((style) => `<link rel="stylesheet" href="${style}">`);
  const imports = assets.imports.map((script) => `<link rel="modulepreload" href="${script}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.icon}">
${styles.join('\n')}
<script src="${assets.theme}"></script>
<script src="${assets.before}"></script>
${imports.join('\n')}
<script type="module" src="${assets.script}"></script>
</head>
<body>
<header class="top">
<a class="brand" href="/docs">Offer Advertising</a>
<nav class="sites" aria-label="Elsewhere">
<a href="/docs">Guides</a>
<a href="/portal">Portal</a>
</nav>
<div class="theme with-script">
<select id="theme" aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>
</div>
</header>
<div id="reference" data-description="${description}"></div>
<noscript>
<p class="instead">The reference needs JavaScript. <a href="${description}">The OpenAPI document</a> says the same, and the <a href="/docs">guides</a> need none.</p>
</noscript>
</body>
</html>
`;
}
