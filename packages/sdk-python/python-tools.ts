/**
 * Python and the tools that make and test the client: pinned by hash in `requirements/`, downloaded once and kept in the user's cache,
 * installed into no system.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '@offer-ads/backing/cache-folder';
import { onPath } from '@offer-ads/backing/on-path';

const execute = promisify(execFile);

/** 70 MB over a slow mirror. */
const DOWNLOAD_BOUND_MS = 300_000;
/** A build or a type check on busy cores. */
const RUN_BOUND_MS = 240_000;

export type Run = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
};
export type PythonTools = {
  /** Runs `python3` with the installed tools. */
  readonly python: (args: readonly string[], options?: Run) => Promise<string>;
  /** The tools and what they need as files, for installing without a network. */
  readonly wheels: string;
};

/** @returns why the client cannot be made on this machine; null if it can */
export async function whyNoPython(): Promise<string | null> {
  if (onPath('python3') === undefined) return 'python3 is not installed';
  const check = 'import sys, ensurepip, pip, venv; sys.exit(sys.version_info < (3, 11))';
  return execute('python3', ['-c', check]).then(
    () => null,
    () => 'python3 is older than 3.11, or has no pip or no venv',
  );
}

/** @param set a file of `requirements/` */
export async function pythonTools(
  set: 'tools' | 'openapi-generator' | 'openapi-spec-validator' | 'schemathesis',
): Promise<PythonTools> {
  const requirements = join(import.meta.dirname, 'requirements', `${set}.txt`);
  const { stdout: python } = await execute('python3', ['-VV']);
  const hash = createHash('sha256').update(readFileSync(requirements)).update(python).digest('hex');
  const folder = await cached(`python-${set}-${hash.slice(0, 12)}`, async (unfinished) => {
    const pip = async (...args: readonly string[]) =>
      execute('python3', ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input', ...args], {
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
      runPython('python3', args, { ...options, env: { ...options?.env, PYTHONPATH: site } }),
    wheels: join(folder, 'wheels'),
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

/** @returns the `python` of a new environment with the client alone, installed from its wheel, a file or an address. `also`: what it uses where it is there */
export async function installClient(
  folder: string,
  o: { readonly wheel: string; readonly wheels: string; readonly also?: readonly string[] },
): Promise<string> {
  const python = join(folder, 'bin', 'python');
  await runPython('python3', ['-m', 'venv', '--without-pip', folder]);
  const offline = ['--no-index', '--find-links', o.wheels, '--quiet', '--disable-pip-version-check'];
  await runPython('python3', [
    '-m',
    'pip',
    '--python',
    python,
    'install',
    ...offline,
    o.wheel,
    ...(o.also ?? []),
  ]);
  return python;
}
