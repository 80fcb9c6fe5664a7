/**
 * Builds all pages into `dist/`, with a Brotli and a gzip copy of each file, and the packed clients into `downloads/dist/`. Servers and
 * tests of the pages call `buildWeb` first: it does nothing when the sources have not changed. `--complete`: fails without the Python
 * client, which a release must have.
 */
import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { listFile } from '@offer-ads/contracts/places/find-places';
import { build } from 'vite';
import { buildDocs, foldersOfGuides, references } from './docs/build.ts';
import { buildDownloads } from './downloads/build.ts';
import { postcodeLists, townLists } from './map-data.ts';
import { buildSite } from './site/build.ts';
import { type App, apps, configOf, forProduction } from './vite.config.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const stamp = 'sources.sha256';

type Options = { readonly report: (line: string) => void; readonly isComplete?: boolean };

export async function buildWeb(o: Options): Promise<void> {
  await Promise.all([buildPages(o), buildDownloads(o)]);
}

async function buildPages(o: Options): Promise<void> {
  const sources = await digestOfSources();
  if ((await builtFrom()) === sources) return;
  const startedAt = performance.now();
  // Replaced as a whole, and once, also when two processes build at once.
  const building = join(folder, '../.dev', `web-${process.pid}`);
  try {
    await mkdir(building, { recursive: true });
    await forProduction(async () => {
      for (const app of Object.keys(apps) as App[])
        await build({ ...configOf(app, join(building, app)), logLevel: 'warn' });
    });
    await buildDocs(join(building, 'docs'));
    await buildSite(join(building, 'site'));
    await compressAll(building);
    await writePlaces(join(building, 'docs/places'));
    await writeFile(join(building, stamp), sources);
    if ((await builtFrom()) === sources) return;
    await rm(dist, { recursive: true, force: true });
    await rename(building, dist).catch(async (error: unknown) => {
      // Another process has put the same build there meanwhile.
      if ((await builtFrom()) !== sources) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  o.report(`Pages built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** The lists of places for programs. Few ask for them, so they are not compressed. */
async function writePlaces(folder: string): Promise<void> {
  await mkdir(folder);
  for (const [kind, lists] of [
    ['towns', townLists()],
    ['postcodes', postcodeLists()],
  ] as const)
    for (const [name, text] of lists) await writeFile(join(folder, listFile(kind, name)), text);
}

/** The digest of the sources of the pages in `dist/`; empty when there are none. */
async function builtFrom(): Promise<string> {
  return readFile(join(dist, stamp), 'utf8').catch(() => '');
}

/** The digest of all sources of the pages, and of the versions of their packages. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(references));
  const files: string[] = [];
  for await (const file of glob('{*,{portal,console,docs,places,site,ui}/**/*}', {
    cwd: folder,
    withFileTypes: true,
  })) {
    if (file.isFile()) files.push(join(file.parentPath, file.name));
  }
  for (const guides of foldersOfGuides)
    for await (const name of glob('*', { cwd: guides })) files.push(join(guides, name));
  files.push(
    join(folder, '../package-lock.json'),
    join(folder, '../packages/contracts/src/portal/site-page.ts'),
  );
  for (const file of files.toSorted()) hash.update(relative(folder, file)).update(await readFile(file));
  return hash.digest('hex');
}

const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.webmanifest']);

/** Larger files, in bytes, are compressed less: the best quality takes thirty times as long and saves a tenth. */
const LARGE = 400_000;
/** Parts of the map and lists of places are many and small: the best quality takes 20 s for all of them, and saves half a kilobyte of one. */
const smallPart = /(tile|-list)-/;

/** One file alone leaves a processor idle. */
const FILES_AT_ONCE = 4;

async function compressAll(built: string): Promise<void> {
  const paths: string[] = [];
  for await (const file of glob('**/*', { cwd: built, withFileTypes: true }))
    if (file.isFile() && compressible.has(extname(file.name))) paths.push(join(file.parentPath, file.name));
  const compressing = Array.from({ length: FILES_AT_ONCE }, async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await compress(path);
  });
  await Promise.all(compressing);
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        [constants.BROTLI_PARAM_QUALITY]: bytes.length >= LARGE || smallPart.test(basename(path)) ? 9 : 11,
      },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await writeFile(`${path}.br`, brotli);
  await writeFile(`${path}.gz`, gzipped);
}

if (import.meta.main) {
  const report = (line: string) => process.stdout.write(`${line}\n`);
  await buildWeb({ report, isComplete: process.argv.includes('--complete') });
}
