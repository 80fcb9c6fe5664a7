/** `npm run build -w @offer-ads/sdk` makes the package as it is published; `--into FOLDER` somewhere else than in dist/. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const { values } = parseArgs({ options: { into: { type: 'string', default: join(here, 'dist') } } });
const into = resolve(values.into);

rmSync(into, { recursive: true, force: true });
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(here, 'tsconfig.build.json'), '--outDir', into];
execFileSync(process.execPath, compiler, { stdio: 'inherit' });
nameJavaScript();
copyFileSync(join(here, 'README.md'), join(into, 'README.md'));
writeFileSync(join(into, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`);

/** The compiler leaves `.ts` in declarations, which older compilers do not read. */
function nameJavaScript(): void {
  for (const file of globSync('**/*.d.ts', { cwd: into })) {
    const path = join(into, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
  }
}

/** In the repository the sources run as they are; what is installed elsewhere must be JavaScript. */
function published(): object {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(join(here, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    types: './index.d.ts',
    bin: { 'offer-ads': 'cli/main.js' },
    files: ['**/*.js', '**/*.d.ts'],
  };
}
