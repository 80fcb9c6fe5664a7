/** An icon of the Lucide set for a page that is built as text; icon.tsx is for the apps. */
import type { IconNode } from 'lucide';

export function iconHtml(icon: IconNode): string {
  const elements = icon.map(([element, attributes]) => `<${element} ${written(attributes)}/>`);
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${elements.join('')}</svg>`;
}

function written(attributes: IconNode[number][1]): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');
}
