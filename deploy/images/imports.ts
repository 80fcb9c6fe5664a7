/** Follows the imports of a program from file to file, inside our own packages only. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';

/** Relies on the formatter: a statement starts at the beginning of a line. */
const statements = [
  /^(?:import|export)\s[^;'"]*?from '([^']+)'/gm,
  /^import '([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
  /\bnew URL\('([^']+\.ts)', import\.meta\.url\)/g,
];

/** Type imports are removed before code runs. */
const ofTypes = /^(import|export) type /;

/** Repository paths of all files that the entries import, directly or not, including the entries. */
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

/** Undefined for Node modules and packages of a registry. */
function fileOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const [, name, path] = /^@offer-ads\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  // The `exports` of our packages: the sources, and the generated files.
  const file = path?.startsWith('generated/')
    ? `packages/${name}/${path}`
    : `packages/${name}/src/${path}.ts`;
  if (!existsSync(join(repository, file)))
    throw new Error(`${from} imports ${specifier}, which is not ${file}`);
  return file;
}
