/** Theme colours for canvas drawings, and a signal to redraw. */
import { useEffect, useState } from 'preact/hooks';

/** The computed values of custom properties in the current theme: `{land: '--map-land'}` gives `{land: 'rgb(...)'}`. */
export function coloursOf<Names extends Readonly<Record<string, string>>>(
  host: Element,
  names: Names,
): { readonly [Name in keyof Names]: string } {
  // Browsers compute only real properties: the custom property is an unresolved text with `light-dark()`.
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

/** A number that changes with each change of the theme. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((before) => before + 1);
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    return () => {
      chosen.disconnect();
      system.removeEventListener('change', changed);
    };
  }, []);
  return changes;
}
