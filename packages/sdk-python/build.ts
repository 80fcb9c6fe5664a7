/**
 * `npm run build:python`: generates the code for the OpenAPI document, puts it beside the sources, and packs both as a wheel and as a
 * source archive in `dist/`.
 */
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PythonTools, pythonTools, whyNoPython } from './python-tools.ts';

export type Built = {
  /** The sources with the generated code. */
  readonly sources: string;
  readonly wheel: string;
  readonly archive: string;
};

const document = fileURLToPath(new URL('../contracts/generated/openapi.json', import.meta.url));

/** @param folder is made anew */
export async function buildClient({ python }: PythonTools, folder: string): Promise<Built> {
  const here = import.meta.dirname;
  const project = join(folder, 'project');
  const sources = join(project, 'src');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  for (const name of ['pyproject.toml', 'hatch_build.py', 'README.md', 'src'])
    cpSync(join(here, name), join(project, name), {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    });
  await generateClient(python, document, join(sources, 'offer_ads', '_generated'));
  await python(['-m', 'hatchling', 'build', '-t', 'wheel', '-t', 'sdist', '-d', folder], { cwd: project });
  const [wheel] = globSync(join(folder, '*.whl'));
  const [archive] = globSync(join(folder, '*.tar.gz'));
  if (wheel === undefined || archive === undefined) throw new Error(`${folder} has no wheel or no archive`);
  return { sources, wheel, archive };
}

/** Fails on each warning: the generator warns where it leaves something of the document out. */
export async function generateClient(
  python: PythonTools['python'],
  document: string,
  into: string,
): Promise<void> {
  const config = join(import.meta.dirname, 'generator.yml');
  const options = ['--meta', 'none', '--fail-on-warning', '--overwrite', '--config', config];
  await python([
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    document,
    '--output-path',
    into,
    ...options,
  ]);
}

if (import.meta.main) {
  const missing = await whyNoPython();
  if (missing !== null) throw new Error(missing);
  const built = await buildClient(await pythonTools('tools'), join(import.meta.dirname, 'dist'));
  console.log(`${built.wheel}\n${built.archive}`);
}
