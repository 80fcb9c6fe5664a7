/** The package as it is published, in an empty project. */
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const repository = join(sdk, '..', '..');

/**
 * Packs the SDK and installs the packed file into the folder, which must be empty.
 * @returns the copy of the package's folder that was packed, because `npm pack` changes its manifest for a moment
 */
export async function installPacked(folder: string): Promise<string> {
  const sources = copyOfSources(folder);
  await run('npm', ['pack', '--pack-destination', folder], { cwd: sources });
  const [filename] = globSync('*.tgz', { cwd: folder });
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","type":"module","private":true}');
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', `./${filename}`, ...quiet], { cwd: folder });
  return sources;
}

function copyOfSources(folder: string): string {
  const checkout = join(folder, 'checkout');
  const copy = join(checkout, 'packages', 'sdk');
  mkdirSync(checkout, { recursive: true });
  cpSync(sdk, copy, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  cpSync(join(repository, 'tsconfig.json'), join(checkout, 'tsconfig.json'));
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  return copy;
}
