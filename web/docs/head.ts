/** The beginning of every page of guides and references. */

/** Addresses of what every page needs. */
export type HeadAssets = {
  readonly icon: string;
  /** The part of the font that every page needs; it is loaded at once, so that the text does not change later. */
  readonly font: string;
};

/** @param elements more elements of the head, in their order */
export function pageHead(title: string, { icon, font }: HeadAssets, elements: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>
${elements.join('\n')}
</head>`;
}

/** The wordmark, as in the portal (ui/brand.tsx). */
export function brand(icon: string): string {
  return `<a class="brand" href="/docs"><img class="mark" src="${icon}" alt="" width="28" height="28"><span>Offer Ads</span> <span class="brand-site">Docs</span></a>`;
}

export const themeSelect: string =
  '<select id="theme" aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>';
