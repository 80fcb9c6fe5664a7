/**
 * Python and the tools that make and test the client: pinned by hash in `requirements/`, downloaded once and kept in the user's cache,
 * installed into no system.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '@offer-ads/backing/cache-folder';

const execute = promisify(execFile);

/** 70 MB over a slow mirror. */
const DOWNLOAD_BOUND_MS = 300_000;
/** A build or a type check on busy cores. */
const RUN_BOUND_MS = 240_000;

export type Run = {
  readonly cwd?: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly timeoutMs?: number;
};
export type PythonTools = {
  /** Runs Python with the installed tools. */
  readonly python: (args: readonly string[], options?: Run) => Promise<string>;
  /** The tools and what they need as files, for installing without a network. */
  readonly wheels: string;
  /** That runs them. */
  readonly builder: Python;
};

/** A Python with pip and venv: its 3.x and its path. */
export type Python = { readonly minor: number; readonly path: string };

/** One of each 3.x from 3.10 on: those in PATH first, then those of pyenv. */
export const everyPython = await findEvery();

async function findEvery(): Promise<readonly Python[]> {
  const inPath = (process.env.PATH ?? '').split(delimiter);
  const ofPyenv = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions', '3.1?.*', 'bin');
  const paths = [...inPath, ofPyenv].flatMap((folder) => globSync(join(folder, 'python3{,.1?}')));
  const found = await Promise.all([...new Set(paths.map((path) => realpathSync(path)))].map(pythonAt));
  const usable = found.filter((each) => each !== undefined);
  return usable.filter(({ minor }, index) => usable.findIndex((first) => first.minor === minor) === index);
}

/** @returns undefined where pip or venv is missing, or where pyenv has a name for a version that is not chosen */
async function pythonAt(path: string): Promise<Python | undefined> {
  const program = `import importlib.util as i, sys
print(sys.version_info.minor if all(map(i.find_spec, ("ensurepip", "pip", "venv"))) else 0)`;
  const minor = await execute(path, ['-c', program], { timeout: RUN_BOUND_MS }).then(
    ({ stdout }) => Number(stdout),
    () => 0,
  );
  return minor >= 10 ? { minor, path } : undefined;
}

/** The generator needs 3.11. */
const builder = everyPython.find(({ minor }) => minor >= 11);

/** Why the client cannot be made on this machine; null if it can. */
export const whyNoPython = builder === undefined ? 'there is no Python from 3.11 on with pip and venv' : null;

/** @param set a file of `requirements/` */
export async function pythonTools(
  set: 'tools' | 'openapi-generator' | 'openapi-spec-validator' | 'schemathesis',
): Promise<PythonTools> {
  if (builder === undefined) throw new Error(`${whyNoPython}`);
  const { path } = builder;
  const requirements = join(import.meta.dirname, 'requirements', `${set}.txt`);
  const { stdout: version } = await execute(path, ['-VV']);
  const hash = createHash('sha256').update(readFileSync(requirements)).update(version).digest('hex');
  const folder = await cached(`python-${set}-${hash.slice(0, 12)}`, async (unfinished) => {
    const pip = async (...args: readonly string[]) =>
      execute(path, ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input', ...args], {
        timeout: DOWNLOAD_BOUND_MS,
      });
    const wheels = join(unfinished, 'wheels');
    const given = ['--requirement', requirements];
    await pip('download', '--require-hashes', '--only-binary=:all:', '--dest', wheels, ...given);
    const offline = ['--no-index', '--find-links', wheels];
    await pip('install', ...offline, '--target', join(unfinished, 'site'), ...given);
  });
  const site = join(folder, 'site');
  return {
    python: (args, options) =>
      runPython(path, args, { ...options, env: { ...options?.env, PYTHONPATH: site } }),
    wheels: join(folder, 'wheels'),
    builder,
  };
}

/** @returns what it prints; fails with all that it says */
export async function runPython(
  python: string,
  args: readonly string[],
  { cwd, env, timeoutMs = RUN_BOUND_MS }: Run = {},
): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = {
    cwd: cwd ?? import.meta.dirname,
    timeout: timeoutMs,
    maxBuffer: 16 * 1_024 * 1_024,
    // Nothing else of the environment: a proxy or a path of Python's would change the result.
    env: { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1', ...env },
  };
  return execute(python, [...args], options).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout?: string; stderr?: string; message: string }) => {
      throw new Error(`python ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
    },
  );
}

/**
 * @returns the `python` of a new environment with the client alone, installed from its wheel without a network
 * @param o.also packages that the client uses where they are there
 */
export async function installClient(
  folder: string,
  o: {
    readonly python: Python;
    readonly wheel: string;
    readonly wheels: string;
    readonly also?: readonly string[];
  },
): Promise<string> {
  const python = join(folder, 'bin', 'python');
  await runPython(o.python.path, ['-m', 'venv', '--without-pip', folder]);
  const offline = ['--no-index', '--find-links', o.wheels, '--quiet', '--disable-pip-version-check'];
  const install = ['-m', 'pip', '--python', python, 'install', ...offline, o.wheel, ...(o.also ?? [])];
  await runPython(o.python.path, install);
  return python;
}
