/** The beginning of every page of guides and references. */

/** @param elements more elements of the head, in their order */
export function pageHead(
  title: string,
  { icon }: { readonly icon: string },
  elements: readonly string[],
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
${elements.join('\n')}
</head>`;
}

export const themeSelect: string =
  '<select id="theme" aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>';
