/** Follows what a program imports, from file to file, through our own packages but not into others'. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';

/** As formatted: one statement begins a line. */
const statements = [
  /^(?:import|export)\s[^;'"]*?from '([^']+)'/gm,
  /^import '([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
  /\bnew URL\('([^']+\.ts)', import\.meta\.url\)/g,
];

/** Types are gone before anything is run. */
const ofTypes = /^(import|export) type /;

/** Paths in the repository of all files that the entries reach, the entries too. */
export function reachedFrom(entries: readonly string[], { types }: { types: boolean }): Set<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(join(repository, path), 'utf8');
    for (const pattern of statements)
      for (const [statement, specifier = ''] of text.matchAll(pattern)) {
        if (!types && ofTypes.test(statement)) continue;
        const file = fileOf(specifier, path);
        if (file !== undefined) visit(file);
      }
  };
  for (const entry of entries) visit(entry);
  return reached;
}

/** Undefined for what comes from Node or a registry. */
function fileOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const [, name, path] = /^@offer-ads\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  // The `exports` of our packages: a folder of sources, and what is generated.
  const file = path?.startsWith('generated/')
    ? `packages/${name}/${path}`
    : `packages/${name}/src/${path}.ts`;
  if (!existsSync(join(repository, file)))
    throw new Error(`${from} imports ${specifier}, which is not ${file}`);
  return file;
}
