/** Builds the front page, and the style sheet that the gateway's status page shares with it. They work without the apps. */
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { firstFont } from '../portal-plugins.ts';
import { frontPage } from './front-page.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Into `outDir`: `front.html`, and `assets/` for the address `/assets`. */
export async function buildSite(outDir: string): Promise<void> {
  const assets = join(outDir, 'assets');
  await mkdir(assets, { recursive: true });
  await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rollupOptions: {
        input: [join(here, 'site.css'), join(here, 'calculator.ts')],
        output: {
          entryFileNames: 'assets/[name].js',
          // Pages name the style sheet; the font has the hash of its content.
          assetFileNames: ({ names: [name = ''] }) =>
            name.endsWith('.css') ? 'assets/[name][extname]' : 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
  await copyFile(join(here, '../portal/public/icon.svg'), join(assets, 'icon.svg'));
  const font = (await readdir(assets)).find((name) => firstFont.test(name));
  if (font === undefined) throw new Error('the front page has no font');
  await writeFile(join(outDir, 'front.html'), frontPage({ font: `/assets/${font}` }));
}
