/** The files that pages load at the first visit: less than 150 KB for the portal, 80 KB for a guide or a reference with its text and font, compressed. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildWeb } from '../../../web/build.ts';

const portal = fileURLToPath(new URL('../../../web/dist/portal', import.meta.url));
const budgetBytes = 150 * 1024;

/** Scripts and styles of the page, with static imports. */
async function firstFiles(): Promise<ReadonlySet<string>> {
  const page = await readFile(join(portal, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/portal\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file!);
  // A signed-in person sees home first, whose script is loaded separately.
  const assets = await readdir(join(portal, 'assets'));
  named.push(
    ...assets.filter((file) => /^home-[\w-]+\.(js|css)$/.test(file)).map((file) => `assets/${file}`),
  );
  const files = new Set<string>();
  for (const file of named) await addWithImports(file, files);
  return files;
}

async function addWithImports(file: string, files: Set<string>): Promise<void> {
  if (files.has(file)) return;
  files.add(file);
  if (!file.endsWith('.js')) return;
  const script = await readFile(join(portal, file), 'utf8');
  for (const [, imported] of script.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g))
    await addWithImports(`assets/${imported}`, files);
}

beforeAll(() => buildWeb({ report: () => {} }), 240_000);

describe('the first page of the portal', () => {
  it('consists of its script, its styles, and the script of home with its imports', async () => {
    const names = [...(await firstFiles())].map((file) => file.replace(/^assets\/|-[\w-]{8}(?=\.)/g, ''));
    expect(names).toEqual(expect.arrayContaining(['theme.js', 'early.js', 'main.js', 'main.css', 'home.js']));
    expect(names.length).toBeGreaterThan(4);
  });

  it('has less than 150 KB of scripts and styles, compressed with gzip', async () => {
    const sizes = [...(await firstFiles())].map(
      async (file) => (await stat(join(portal, `${file}.gz`))).size,
    );
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(budgetBytes);
  });

  it('is built for production, also where a test builds it: without the places of its sources', async () => {
    for (const file of await firstFiles())
      expect(await readFile(join(portal, file), 'utf8')).not.toMatch(/lineNumber:|fileName:/);
  });

  it('loads neither the map, nor charts, nor the Markdown parser', async () => {
    for (const file of await firstFiles()) {
      if (!file.endsWith('.js')) continue;
      const script = await readFile(join(portal, file), 'utf8');
      expect([file, /leaflet|uPlot|markdown-it|ZodError/i.exec(script)?.[0]]).toEqual([file, undefined]);
    }
  });
});

describe.each(['docs/errors.html', 'docs/reference/webhooks.html', 'docs/portal-reference/offers.html'])(
  '%s',
  (name) => {
    it('has less than 80 KB with its script, style and font', async () => {
      const dist = join(portal, '..');
      const page = await readFile(join(dist, name), 'utf8');
      const files = [...page.matchAll(/(?:src|href)="\/(docs\/assets\/[^"]+)"/g)].map(([, file]) => file!);
      const sizeOf = async (file: string) =>
        (await stat(join(dist, `${file}.gz`)).catch(async () => stat(join(dist, file)))).size;
      const sizes = await Promise.all([name, ...new Set(files)].map(sizeOf));
      expect(files.length).toBeGreaterThan(3);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80 * 1024);
    });
  },
);
