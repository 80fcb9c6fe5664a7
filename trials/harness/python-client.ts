/** The Python client as advertisers have it: built once for a run, and installed from the gateway into environments of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from '@offer-ads/sdk-python/build';
import {
  everyPython,
  type Python,
  pythonTools,
  runPython,
  whyNoPython,
} from '@offer-ads/sdk-python/python-tools';
import { buildDownloads } from '../../web/downloads/build.ts';
import type { TestSystem } from './test-system.ts';

const sorted = everyPython.toSorted((a, b) => a.minor - b.minor);
/** The oldest and the newest of this machine; only one, or none, if it has no others. */
export const outermostPythons = sorted.filter((_, index) => index === 0 || index === sorted.length - 1);

let installed: Promise<ReadonlyMap<number, string>> | undefined;

/** @returns the `python` of the environment with this 3.x, one of those above; null where there is no Python, which is an error in CI */
export async function pythonWithClient(
  system: TestSystem,
  minor = outermostPythons.at(-1)?.minor ?? 0,
): Promise<string | null> {
  installed ??= install(system);
  return (await installed).get(minor) ?? null;
}

async function install({ folder, state }: TestSystem): Promise<ReadonlyMap<number, string>> {
  if (whyNoPython !== null) {
    if (process.env.CI === 'true') throw new Error(whyNoPython);
    console.warn(`${whyNoPython}: the examples in Python are not run`);
    return new Map();
  }
  await buildClient(await pythonTools('tools'));
  const { files } = await buildDownloads({ report: () => {}, isComplete: true });
  const served = files.find(({ name }) => name === 'offer-ads');
  const wheel = `${state().gateway}/downloads/${served?.file}#sha256=${served?.sha256}`;
  const installing = outermostPythons.map(async ({ minor, path }) => {
    const environment = join(folder, `python-3.${minor}`);
    return [minor, await installAsUsersDo({ minor, path }, environment, wheel)] as const;
  });
  return new Map(await Promise.all(installing));
}

/** By the pip that this Python brings, with what the client needs from the package index. */
async function installAsUsersDo({ path }: Python, environment: string, wheel: string): Promise<string> {
  await runPython(path, ['-m', 'venv', environment]);
  const python = join(environment, 'bin', 'python');
  // The user's own settings, such as those of an index, are kept.
  await runPython(python, ['-m', 'pip', 'install', '--quiet', wheel], { env: process.env });
  return python;
}

/** @returns a folder for PYTHONPATH with which the client sends another client address */
export function ownAddress(folder: string, clientIp: string): string {
  const path = join(folder, 'own-address');
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, 'sitecustomize.py'),
    `import httpx

own = httpx.Client.build_request


def with_address(*args, **options):
    request = own(*args, **options)
    request.headers["x-forwarded-for"] = "${clientIp}"
    return request


httpx.Client.build_request = with_address
`,
  );
  return path;
}
