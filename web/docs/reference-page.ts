/** The HTML page of an API reference, as shown before or without its scripts. */
import { brand, type HeadAssets, pageHead, themeSelect } from './head.ts';

/** Addresses under `/docs/assets`, which contain a hash of the content. */
export type ReferenceAssets = HeadAssets & {
  readonly styles: readonly string[];
  readonly script: string;
  /** Static imports of the script, loaded together with it. */
  readonly imports: readonly string[];
  readonly before: string;
  readonly theme: string;
};

/** Title and OpenAPI document of each reference. */
export const references = {
  'reference.html': { title: 'Offer Ads API', description: '/openapi.json' },
  'portal-reference.html': { title: 'Offer Ads portal API', description: '/portal/openapi.json' },
} as const;

export function referencePage(
  { title, description }: { readonly title: string; readonly description: string },
  assets: ReferenceAssets,
): string {
  const styles = assets.styles.map((style) => `<link rel="stylesheet" href="${style}">`);
  const imports = assets.imports.map((script) => `<link rel="modulepreload" href="${script}">`);
  return `${pageHead(title, assets, [
    ...styles,
    `<script src="${assets.theme}"></script>`,
    `<script src="${assets.before}"></script>`,
    ...imports,
    `<script type="module" src="${assets.script}"></script>`,
  ])}
<body>
<header class="top">
${brand(assets.icon)}
<nav class="sites" aria-label="Elsewhere">
<a href="/docs">Guides</a>
<a class="button quiet" href="/portal">Portal</a>
</nav>
<div class="theme with-script">
${themeSelect}
</div>
</header>
<div id="reference" data-description="${description}"></div>
<noscript>
<p class="instead">The reference needs JavaScript. <a href="${description}">The OpenAPI document</a> has the same content. The <a href="/docs">guides</a> work without JavaScript.</p>
</noscript>
</body>
</html>
`;
}
