/** `npm run build:python` packs the client as a source archive and as a wheel in `dist/`; hatch_build.py generates what depends on the API. */
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type PythonTools, pythonTools } from './python-tools.ts';

export type Built = { readonly wheel: string; readonly archive: string };

/** Without a network: the tools are there already. */
export const offline = [
  '--no-index',
  '--no-build-isolation',
  '--no-deps',
  '--quiet',
  '--disable-pip-version-check',
];

/** @param folder is made anew; from `dist/` the wheel goes to `/downloads` (web/downloads/build.ts) */
export async function buildClient(
  { python }: PythonTools,
  folder = join(import.meta.dirname, 'dist'),
): Promise<Built> {
  rmSync(folder, { recursive: true, force: true });
  const here = import.meta.dirname;
  await python(['-m', 'hatchling', 'build', '-t', 'sdist', '-d', folder], { cwd: here });
  const [archive] = globSync(join(folder, '*.tar.gz'));
  if (archive === undefined) throw new Error(`${folder} has no archive`);
  // From the archive, as others would build it.
  await python(['-m', 'pip', 'wheel', ...offline, '--wheel-dir', folder, archive]);
  const [wheel] = globSync(join(folder, '*.whl'));
  if (wheel === undefined) throw new Error(`${folder} has no wheel`);
  return { wheel, archive };
}

if (import.meta.main) {
  const built = await buildClient(await pythonTools('tools'));
  console.log(`${built.wheel}\n${built.archive}`);
}
