/** The name suffixes of ConfigMaps that kustomize generates: a hash of their content. */
import { createHash } from 'node:crypto';
import type { Manifest } from './patch.ts';

/** Marks a ConfigMap of a generator while rendering. */
export const generated = Symbol('generated');

/** Renames generated ConfigMaps and every reference to them. */
export function withHashSuffixes(all: readonly Manifest[]): Manifest[] {
  const names = new Map(
    all
      .filter((manifest) => generated in manifest)
      .map((manifest) => [manifest.metadata.name, `${manifest.metadata.name}-${hashOf(manifest)}`]),
  );
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => {
        if (!['configMapRef', 'configMapKeyRef', 'configMap'].includes(key)) return [key, renamed(child)];
        const reference = child as { name: string };
        return [key, { ...reference, name: names.get(reference.name) ?? reference.name }];
      }),
    );
  };
  return all.map((manifest) => {
    if (generated in manifest)
      return {
        ...manifest,
        metadata: { ...manifest.metadata, name: names.get(manifest.metadata.name) ?? '' },
      };
    return { ...manifest, ...('spec' in manifest && { spec: renamed(manifest.spec) }) };
  });
}

/** As kustomize computes it: of the JSON with sorted keys as Go writes it, without the name, in an alphabet without vowels. */
function hashOf({ data }: Manifest): string {
  const sorted = Object.fromEntries(Object.entries(data as object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const json = JSON.stringify({ data: sorted, kind: 'ConfigMap', name: '' }).replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
  const readable: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
  const hex = createHash('sha256').update(json).digest('hex').slice(0, 10);
  return hex.replaceAll(/[013ae]/g, (digit) => readable[digit] ?? digit);
}
