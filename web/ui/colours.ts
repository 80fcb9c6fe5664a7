/** Colours of the theme for what is drawn on a canvas, and when to draw it again. */
import { useEffect, useState } from 'preact/hooks';

/** What custom properties come to in the theme of now: `{land: '--map-land'}` gives `{land: 'rgb(...)'}`. */
export function coloursOf<Names extends Readonly<Record<string, string>>>(
  host: Element,
  names: Names,
): { readonly [Name in keyof Names]: string } {
  // Only a real property is computed: the custom one itself is a text with `light-dark()` in it.
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  const colours = Object.entries(names).map(([name, property]) => {
    probe.style.color = `var(${property})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colours) as { readonly [Name in keyof Names]: string };
}

/** Another number after each change of theme or mode. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((before) => before + 1);
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-mode'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    return () => {
      chosen.disconnect();
      system.removeEventListener('change', changed);
    };
  }, []);
  return changes;
}
