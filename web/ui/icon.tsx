/**
 * An icon of the Lucide set, in the size and colour of the text beside it. Only icons that are imported get into the bundle:
 * `import { House } from 'lucide'`, then `<Icon of={House} />`. The text beside it, or the label of its button, says what it means.
 */
import type { IconNode } from 'lucide';
import { h } from 'preact';

export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([element, attributes], at) => h(element, { key: at, ...attributes }))}
    </svg>
  );
}
