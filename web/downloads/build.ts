/**
 * Builds what `/downloads` serves: our clients as their package managers install them, a page that lists them, the same for programs, and
 * their hashes. It does nothing when nothing has changed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { downloadsPage } from './page.ts';

/** A compilation on a busy machine. */
const bound = { timeout: 180_000 };
const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(import.meta.dirname, 'dist');
const stamp = 'sources.sha256';
/** Each has a `build.ts FOLDER`, which makes what is published. */
const npmPackages = ['packages/sdk', 'packages/mcp'];
/** Its wheel needs Python, which nothing else here needs, so a command of its own builds it. */
const pythonPackage = 'packages/sdk-python';

export type Download = {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
  /** As in package-lock.json. */
  readonly integrity: string;
};
export type Missing = { readonly name: string; readonly reason: string };
/** `index.json`. */
export type Downloads = { readonly files: readonly Download[]; readonly missing: readonly Missing[] };

/** @param o.isComplete fails when a client is missing, as a release must */
export async function buildDownloads(o: {
  readonly report: (line: string) => void;
  readonly isComplete?: boolean;
}): Promise<Downloads> {
  const sources = await digestOfSources();
  const downloads = (await builtFrom(sources)) ?? (await build(sources, o.report));
  const [first] = downloads.missing;
  if (o.isComplete === true && first !== undefined)
    throw new Error(`${first.name} is missing: ${first.reason}`);
  return downloads;
}

async function build(sources: string, report: (line: string) => void): Promise<Downloads> {
  const startedAt = performance.now();
  await mkdir(join(repository, '.dev'), { recursive: true });
  const building = await mkdtemp(join(repository, '.dev/downloads-'));
  try {
    const packed = await Promise.all(npmPackages.map(async (folder) => pack(folder, building)));
    const python = await wheel(building);
    const files = [...packed, ...('reason' in python ? [] : [python])];
    const downloads = { files, missing: 'reason' in python ? [python] : [] };
    const write = async (name: string, text: string) => writeFile(join(building, name), text);
    await write('SHA256SUMS', files.map(({ sha256, file }) => `${sha256}  ${file}\n`).join(''));
    await write('index.html', downloadsPage(downloads));
    await write('index.json', JSON.stringify(downloads, null, 2));
    await write(stamp, sources);
    const names = [...files.map(({ file }) => file), 'SHA256SUMS', 'index.html', 'index.json', stamp];
    await publish(building, names);
    report(`Clients packed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return downloads;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** File by file, because a gateway may serve the folder, and another process may build at the same time. */
async function publish(building: string, names: readonly string[]): Promise<void> {
  await mkdir(dist, { recursive: true });
  for (const name of names) await rename(join(building, name), join(dist, name));
  for (const name of await readdir(dist))
    if (!names.includes(name)) await rm(join(dist, name), { force: true });
}

async function pack(folder: string, into: string): Promise<Download> {
  const { name, version } = await manifestOf(folder);
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const unpacked = await mkdtemp(join(into, 'package-'));
  await run(process.execPath, [join(repository, folder, 'build.ts'), unpacked], bound);
  // Without workspaces: npm passes the options of `npm ci` and `npm run` on.
  const quiet = ['--ignore-scripts', '--workspaces=false', '--loglevel=error'];
  await run('npm', ['pack', unpacked, '--pack-destination', into, ...quiet], bound);
  return described({ name, version, file }, into);
}

async function wheel(into: string): Promise<Download | Missing> {
  const { version } = await manifestOf(pythonPackage);
  const name = 'offer-ads';
  const file = `offer_ads-${version}-py3-none-any.whl`;
  try {
    await copyFile(join(repository, pythonPackage, 'dist', file), join(into, file));
  } catch {
    return { name, reason: 'it needs Python: run `npm run build:python` and then `npm run build:web`' };
  }
  return described({ name, version, file }, into);
}

async function described(o: Pick<Download, 'name' | 'version' | 'file'>, folder: string): Promise<Download> {
  const bytes = await readFile(join(folder, o.file));
  const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(bytes).digest(encoding);
  return {
    ...o,
    size: bytes.length,
    sha256: digest('sha256', 'hex'),
    integrity: `sha512-${digest('sha512', 'base64')}`,
  };
}

async function manifestOf(folder: string): Promise<{ readonly name: string; readonly version: string }> {
  return JSON.parse(await readFile(join(repository, folder, 'package.json'), 'utf8')) as Download;
}

async function builtFrom(sources: string): Promise<Downloads | undefined> {
  const read = async (name: string) => readFile(join(dist, name), 'utf8').catch(() => '');
  if ((await read(stamp)) !== sources) return undefined;
  return JSON.parse(await read('index.json')) as Downloads;
}

async function digestOfSources(): Promise<string> {
  const files = [join(repository, 'package-lock.json'), join(repository, 'tsconfig.json')];
  const patterns = [
    // Code of the contracts becomes a part of some.
    ...[...npmPackages, 'packages/contracts'].flatMap((folder) => [`${folder}/*`, `${folder}/src/**/*`]),
    'packages/contracts/generated/openapi.json',
    `${pythonPackage}/{package.json,dist/*.whl}`,
    'web/downloads/*.ts',
  ];
  for await (const file of glob(patterns, { cwd: repository, withFileTypes: true }))
    if (file.isFile() && !file.name.endsWith('.test.ts')) files.push(join(file.parentPath, file.name));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(relative(repository, file)).update(await readFile(file));
  return hash.digest('hex');
}
