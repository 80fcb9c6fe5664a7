/**
 * `npm run build -w @offer-ads/sdk` makes the package that is published in `dist/`: in the repository the sources run as they are, but
 * what is installed elsewhere must be JavaScript. `node build.ts FOLDER` makes it there; the folder must be empty.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const here = import.meta.dirname;
const usual = join(here, 'dist');
const into = resolve(process.argv[2] ?? usual);

if (into === usual) rmSync(into, { recursive: true, force: true });
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(here, 'tsconfig.build.json'), '--outDir', into];
execFileSync(process.execPath, compiler, { stdio: 'inherit' });
nameJavaScript();
copyFileSync(join(here, 'README.md'), join(into, 'README.md'));
writeFileSync(join(into, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

/** The compiler leaves `.ts` in declarations, which older compilers do not read. */
function nameJavaScript(): void {
  for (const file of globSync('**/*.d.ts', { cwd: into })) {
    const path = join(into, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
  }
}

function manifest(): object {
  const ofWorkspace = readFileSync(join(here, 'package.json'), 'utf8');
  const { name, version, description, license, type } = JSON.parse(ofWorkspace) as Record<string, string>;
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    types: './index.d.ts',
    bin: { 'offer-ads': 'cli/main.js' },
  };
}
