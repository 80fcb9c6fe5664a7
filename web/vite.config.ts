/**
 * How the pages are built. `build.ts` builds them all; `npm run dev -w @offer-ads/web` serves the portal from its sources in front of a
 * running gateway (GATEWAY, http://127.0.0.1:8080 by default).
 */
import { fileURLToPath } from 'node:url';
import { preact } from '@preact/preset-vite';
import { defineConfig, type InlineConfig } from 'vite';
import { leafletWithoutMarkup, mapData } from './portal-plugins.ts';

/** Each app is one page with its scripts; `base` is the path at which its server has the folder. */
export const apps = {
  portal: { base: '/portal/' },
  console: { base: '/' },
} as const;
export type App = keyof typeof apps;

/** Not what only some pages use and what is large: the map, charts, Markdown. */
function isSmall(id: string): boolean {
  return !/map-data|leaflet|\/map\/|uplot|traffic-chart|markdown/i.test(id);
}

export function configOf(app: App, outDir: string): InlineConfig {
  return {
    root: fileURLToPath(new URL(app, import.meta.url)),
    base: apps[app].base,
    // The icon, the script that applies the theme, and the one that runs before those of the portal.
    publicDir: fileURLToPath(new URL('portal/public', import.meta.url)),
    configFile: false,
    plugins: [preact({ reactAliasesEnabled: false }), mapData(), leafletWithoutMarkup()],
    resolve: {
      // Its own entry is a CommonJS module.
      alias: [{ find: /^leaflet$/, replacement: 'leaflet/dist/leaflet-src.esm.js' }],
    },
    build: {
      outDir,
      emptyOutDir: true,
      // The content security policy forbids data: addresses and inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      target: 'es2023',
      rolldownOptions: {
        output: {
          codeSplitting: {
            // A group has all that its files import. What two other pages use is in one file: a request takes longer than the few kilobytes
            // that a page does not use.
            groups: [
              { name: 'early', test: /\/portal\/src\/early\.ts$/, priority: 2 },
              { name: 'main', test: /\/src\/main\.tsx$/, priority: 1 },
              { name: 'shared', test: isSmall, minShareCount: 2 },
            ],
          },
        },
      },
    },
  };
}

/** Vite builds pages with the places of their sources where NODE_ENV is not "production", as in a test. */
export async function forProduction(work: () => Promise<void>): Promise<void> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

const gateway = process.env['GATEWAY'] ?? 'http://127.0.0.1:8080';

export default defineConfig(() => {
  const { configFile: _, build: __, ...portal } = configOf('portal', 'dist');
  return {
    ...portal,
    // Not prebundled, because our plugin changes it.
    optimizeDeps: { exclude: ['leaflet'] },
    server: {
      // The gateway accepts only its own origin.
      proxy: Object.fromEntries(
        ['/portal/api', '/portal/docs', '/images', '/docs', '/status'].map((path) => [
          path,
          { target: gateway, headers: { origin: gateway, 'sec-fetch-site': 'same-origin' } },
        ]),
      ),
    },
  };
});
