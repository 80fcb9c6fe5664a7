/** Builds the guides into static pages: one HTML file a guide, beside assets whose names change with what is in them. */
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Manifest } from 'vite';
import { renderGuides } from './guides.ts';
import type { Assets } from './page.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const guidesFolder = join(here, '../../docs/guides');
const picturesFolder = join(here, '../../docs/test-pictures');
/** They too are what the pages are made of. */
export const foldersOfGuides: readonly string[] = [guidesFolder, picturesFolder];
/** Where the gateway serves them. */
const base = '/docs/';

export async function buildDocs(outDir: string): Promise<void> {
  const { script, style } = await buildScript(outDir);
  const keep = async (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const file = `assets/${name.replace(extname(name), '')}-${hash}${extname(name)}`;
    await writeFile(join(outDir, file), content);
    return base + file;
  };
  const ofPortal = async (name: string) => keep(name, await readFile(join(here, '../portal/public', name)));
  const [theme, icon] = [await ofPortal('theme.js'), await ofPortal('icon.svg')];
  const render = (searchIndex: string) =>
    renderGuides(guidesFolder, { script, style, theme, icon, searchIndex });
  const { searchIndex } = await render('');
  const { pages } = await render(await keep('search.json', searchIndex));
  for (const [name, html] of pages) await writeFile(join(outDir, name), html);
  await cp(picturesFolder, join(outDir, 'test-pictures'), {
    recursive: true,
    filter: (name) => !name.endsWith('.md'),
  });
}

async function buildScript(outDir: string): Promise<Pick<Assets, 'script' | 'style'>> {
  await mkdir(outDir, { recursive: true });
  await build({
    root: here,
    base,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: true,
      manifest: 'manifest.json',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      target: 'es2023',
      rollupOptions: { input: join(here, 'client.ts') },
    },
  });
  const list = join(outDir, 'manifest.json');
  const entry = (JSON.parse(await readFile(list, 'utf8')) as Manifest)['client.ts'];
  await rm(list);
  const style = entry?.css?.[0];
  if (entry === undefined || style === undefined) throw new Error(`the script of the guides was not built`);
  return { script: base + entry.file, style: base + style };
}
