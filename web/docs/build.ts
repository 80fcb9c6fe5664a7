/** Builds the guides and the API references as static HTML pages. Names of assets contain a hash of their content. */
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Manifest, type ManifestChunk } from 'vite';
import { firstFont, ownPlaceholders } from '../portal-plugins.ts';
import { guidesFolders, renderGuides } from './guides.ts';
import { type ReferenceAssets, referencePage, references } from './reference-page.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const picturesFolder = join(here, '../../docs/test-pictures');
/** The folders from which the pages are built. */
export const foldersOfGuides: readonly string[] = [
  ...guidesFolders.map(({ folder }) => folder),
  picturesFolder,
];
/** Where the gateway serves them. */
const base = '/docs/';

export async function buildDocs(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const client = await buildScript(outDir, 'client.ts');
  const reference = await buildScript(outDir, 'reference.ts');
  const keep = async (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const file = `assets/${name.replace(extname(name), '')}-${hash}${extname(name)}`;
    await writeFile(join(outDir, file), content);
    return base + file;
  };
  const ofPortal = async (name: string) => keep(name, await readFile(join(here, '../portal/public', name)));
  const [theme, icon] = [await ofPortal('theme.js'), await ofPortal('icon.svg')];
  const before = await keep('before-reference.js', await readFile(join(here, 'before-reference.js')));
  for (const [name, which] of Object.entries(references))
    await writeFile(join(outDir, name), referencePage(which, { ...reference, before, theme, icon }));
  const [style = ''] = client.styles;
  const lists: string[] = [];
  for (const which of guidesFolders) {
    const render = (searchIndex: string) =>
      renderGuides(which, { script: client.script, font: client.font, style, theme, icon, searchIndex });
    const { searchIndex } = await render('');
    const { pages, markdown, list } = await render(await keep('search.json', searchIndex));
    lists.push(list);
    const folder = join(outDir, which.address.slice(base.length));
    await mkdir(folder, { recursive: true });
    for (const [name, text] of [...pages, ...markdown]) await writeFile(join(folder, name), text);
  }
  await writeFile(join(outDir, 'llms.txt'), contentsForPrograms(lists));
  await cp(picturesFolder, join(outDir, 'test-pictures'), {
    recursive: true,
    filter: (name) => !name.endsWith('.md'),
  });
}

/** As llmstxt.org describes it. The gateway completes the addresses. */
function contentsForPrograms([forAdvertisers = '', forCommunities = '']: readonly string[]): string {
  return `# Offer Ads

> An advertiser organisation buys offers that are shown to members of a dating community near a place: by REST, with a key.

## For advertisers

${forAdvertisers}
- [OpenAPI document](/openapi.json): every endpoint and field
- [Clients](/downloads): TypeScript with a command line, and Python
- [Workflows](/arazzo.json): the calls of a purchase in their order (Arazzo)

## For community platforms

${forCommunities}
- [OpenAPI document](/community/openapi.json): placements, views and clicks
`;
}

type Built = Pick<ReferenceAssets, 'script' | 'styles' | 'imports' | 'font'>;

/** Adds a script with its styles to `assets`. */
async function buildScript(outDir: string, input: string): Promise<Built> {
  await build({
    root: here,
    base,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: input === 'reference.ts' ? [ownPlaceholders()] : [],
    // Constants that Vue (in the reference) needs; without them it warns.
    define: {
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    build: {
      outDir,
      emptyOutDir: false,
      manifest: 'manifest.json',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The reference is a large library.
      chunkSizeWarningLimit: 2_000,
      target: 'es2023',
      rollupOptions: { input: join(here, input) },
    },
  });
  const list = join(outDir, 'manifest.json');
  const manifest = JSON.parse(await readFile(list, 'utf8')) as Manifest;
  await rm(list);
  const entry = manifest[input];
  const styles = entry?.css ?? [];
  if (entry === undefined || styles.length === 0) throw new Error(`docs/${input} was not built`);
  const at = (file: string) => base + file;
  const imports = [...importsOf(entry, manifest)].map(({ file }) => at(file));
  const font = entry.assets?.find((file) => firstFont.test(file));
  if (font === undefined) throw new Error(`docs/${input} has no font`);
  return { script: at(entry.file), styles: styles.map(at), imports, font: at(font) };
}

/** All static imports of a chunk, also indirect ones; without dynamic imports. */
function importsOf(chunk: ManifestChunk, manifest: Manifest, found = new Set<ManifestChunk>()) {
  for (const name of chunk.imports ?? []) {
    const imported = manifest[name];
    if (imported === undefined || found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, manifest, found);
  }
  return found;
}
