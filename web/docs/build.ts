/** Builds the guides and the API references as static HTML pages. Names of assets contain a hash of their content. */
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import publicApi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import portalApi from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import { build, type Manifest } from 'vite';
import { firstFont } from '../portal-plugins.ts';
import { guidesFolders, renderGuides } from './guides.ts';
import type { OpenApi } from './reference/openapi.ts';
import { type Reference, renderReference, searchEntriesOf } from './reference/pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const picturesFolder = join(here, '../../docs/test-pictures');
/** The folders from which the pages are built. */
export const foldersOfGuides: readonly string[] = [
  ...guidesFolders.map(({ folder }) => folder),
  picturesFolder,
];
/** Their pages lie in a folder of that name. */
export const references: readonly (Reference & {
  readonly folder: string;
  readonly openapi: OpenApi;
})[] = [
  {
    title: 'API reference',
    address: '/docs/reference',
    document: '/openapi.json',
    hasClients: true,
    folder: 'reference',
    openapi: publicApi as unknown as OpenApi,
  },
  {
    title: 'Portal API reference',
    address: '/portal/docs',
    document: '/portal/openapi.json',
    hasClients: false,
    folder: 'portal-reference',
    openapi: portalApi as unknown as OpenApi,
  },
];
/** Where the gateway serves them. */
const base = '/docs/';

export async function buildDocs(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const client = await buildScript(outDir);
  const keep = async (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const file = `assets/${name.replace(extname(name), '')}-${hash}${extname(name)}`;
    await writeFile(join(outDir, file), content);
    return base + file;
  };
  const portal = join(here, '../portal/public');
  const icon = await keep('icon.svg', await readFile(join(portal, 'icon.svg')));
  const early = await Promise.all(
    [join(portal, 'theme.js'), join(here, 'early.js')].map(async (file) => readFile(file, 'utf8')),
  );
  const assets = { ...client, icon, early: await keep('early.js', early.join('\n')) };
  const write = async (folder: string, files: Iterable<readonly [string, string]>) => {
    await mkdir(join(outDir, folder), { recursive: true });
    for (const [name, text] of files) await writeFile(join(outDir, folder, name), text);
  };
  const lists: string[] = [];
  for (const which of guidesFolders) {
    const described = which.address === '/docs' ? references : [];
    // The pages name the search index, whose name depends on their content.
    const { searchEntries } = await renderGuides(which, { ...assets, searchIndex: '' });
    // Without the portal's own calls: advertisers look for those of the public API, which have the same names.
    const entries = described
      .filter(({ hasClients }) => hasClients)
      .flatMap(({ openapi, ...reference }) => searchEntriesOf(reference, openapi));
    const searchIndex = await keep('search.json', JSON.stringify([...searchEntries, ...entries]));
    const { pages, markdown, list } = await renderGuides(which, { ...assets, searchIndex });
    lists.push(list);
    await write(which.address.slice(base.length), [...pages, ...markdown]);
    for (const { folder, openapi, ...reference } of described)
      await write(folder, renderReference(reference, openapi, { ...assets, searchIndex }));
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

/** Adds the script of the pages with its styles to `assets`. */
async function buildScript(outDir: string): Promise<{ script: string; style: string; font: string }> {
  const input = 'client.ts';
  await build({
    root: here,
    base,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: false,
      manifest: 'manifest.json',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      target: 'es2023',
      rollupOptions: { input: join(here, input) },
    },
  });
  const list = join(outDir, 'manifest.json');
  const entry = (JSON.parse(await readFile(list, 'utf8')) as Manifest)[input];
  await rm(list);
  const style = entry?.css?.[0];
  const font = entry?.assets?.find((file) => firstFont.test(file));
  if (entry === undefined || style === undefined || font === undefined)
    throw new Error(`docs/${input} was not built with its styles and font`);
  return { script: base + entry.file, style: base + style, font: base + font };
}
