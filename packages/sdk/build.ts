/** `npm run build -w @offer-ads/sdk` compiles the package into dist/. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const into = join(here, 'dist');

rmSync(into, { recursive: true, force: true });
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiler = [join(typescript, 'bin', 'tsc'), '-p', join(here, 'tsconfig.build.json'), '--outDir', into];
execFileSync(process.execPath, compiler, { stdio: 'inherit' });
nameJavaScript();

/** The compiler leaves `.ts` in declarations, which older compilers do not read. */
function nameJavaScript(): void {
  for (const file of globSync('**/*.d.ts', { cwd: into })) {
    const path = join(into, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
  }
}
