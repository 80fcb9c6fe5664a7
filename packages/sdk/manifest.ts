/**
 * In the repository the sources run as they are; what is installed elsewhere must be JavaScript. So `npm pack` puts the manifest of the
 * published package in place of the workspace's (`node manifest.ts published`), and back when the archive is written (`workspace`).
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = join(import.meta.dirname, 'package.json');
const ofWorkspace = join(import.meta.dirname, 'package.workspace.json');

const [, , which] = process.argv;
if (which === 'published') {
  // It is there already if an earlier `npm pack` was interrupted.
  if (!existsSync(ofWorkspace)) copyFileSync(manifest, ofWorkspace);
  writeFileSync(manifest, `${JSON.stringify(published(), null, 2)}\n`);
} else if (which === 'workspace') {
  renameSync(ofWorkspace, manifest);
} else {
  throw new Error('node manifest.ts published|workspace');
}

function published(): object {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(ofWorkspace, 'utf8'),
  ) as Record<string, string>;
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    types: './dist/index.d.ts',
    bin: { 'offer-ads': 'dist/cli/main.js' },
    files: ['dist/**/*.js', 'dist/**/*.d.ts'],
  };
}
