/**
 * How the pages are built. `build.ts` builds them all; `npm run dev -w @offer-ads/web` serves the portal from its sources in front of a
 * running gateway (GATEWAY, http://127.0.0.1:8080 by default).
 */
import { fileURLToPath } from 'node:url';
import { preact } from '@preact/preset-vite';
import { defineConfig, type InlineConfig } from 'vite';
import { bundledCities, leafletWithoutMarkup } from './portal-plugins.ts';

/** Each is one page with scripts of its own; `base` is where its server mounts the folder. */
export const apps = {
  portal: { base: '/portal/' },
  console: { base: '/' },
} as const;
export type App = keyof typeof apps;

export function configOf(app: App, outDir: string): InlineConfig {
  return {
    root: fileURLToPath(new URL(app, import.meta.url)),
    base: apps[app].base,
    // The icon, the theme before anything is painted, and what loads the portal anew when its script is another release's.
    publicDir: fileURLToPath(new URL('portal/public', import.meta.url)),
    configFile: false,
    plugins: [preact({ reactAliasesEnabled: false }), bundledCities(), leafletWithoutMarkup()],
    resolve: {
      // Its own entry is for Node's module system.
      alias: [{ find: /^leaflet$/, replacement: 'leaflet/dist/leaflet-src.esm.js' }],
    },
    build: {
      outDir,
      emptyOutDir: true,
      // Under the content security policy nothing comes out of data: addresses, and no inline script polyfills anything.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Outlines and towns are large, and loaded only where a map is shown.
      chunkSizeWarningLimit: 4_000,
      target: 'es2023',
    },
  };
}

const gateway = process.env['GATEWAY'] ?? 'http://127.0.0.1:8080';

export default defineConfig(() => {
  const { configFile: _, build: __, ...portal } = configOf('portal', 'dist');
  return {
    ...portal,
    // Packages that our plugins change are taken as they are.
    optimizeDeps: { exclude: ['leaflet'] },
    server: {
      // The gateway believes only its own origin.
      proxy: Object.fromEntries(
        ['/portal/api', '/portal/docs', '/images', '/docs', '/status'].map((path) => [
          path,
          { target: gateway, headers: { origin: gateway, 'sec-fetch-site': 'same-origin' } },
        ]),
      ),
    },
  };
});
