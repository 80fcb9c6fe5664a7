/**
 * `npm run build -w @offer-ads/mcp` makes the package that is published in `dist/`; `node build.ts FOLDER` makes it there. Our own packages
 * are in no registry, so they become a part of its one file. Those of others are its dependencies.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const here = import.meta.dirname;
const into = resolve(process.argv[2] ?? join(here, 'dist'));
const { name, version, description, license, type, dependencies } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
) as Record<string, string> & { readonly dependencies: Readonly<Record<string, string>> };
const ofOthers = Object.entries(dependencies).filter(([name]) => !name.startsWith('@offer-ads/'));

await build({
  root: here,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    outDir: into,
    emptyOutDir: true,
    target: 'node20',
    rollupOptions: {
      external: (id) => ofOthers.some(([name]) => id === name || id.startsWith(`${name}/`)),
      output: { entryFileNames: 'main.js' },
    },
  },
});
copyFileSync(join(here, 'README.md'), join(into, 'README.md'));
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines: { node: '>=20' },
  bin: { 'offer-ads-mcp': 'main.js' },
  dependencies: Object.fromEntries(ofOthers),
};
writeFileSync(join(into, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
