/** The Python client as advertisers have it: built once for a run, and installed from the gateway into an environment of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from '@offer-ads/sdk-python/build';
import { installClient, pythonTools, whyNoPython } from '@offer-ads/sdk-python/python-tools';
import { buildDownloads } from '../../web/downloads/build.ts';
import type { TestSystem } from './test-system.ts';

let installed: Promise<string | null> | undefined;

/** @returns the `python` of the environment; null where there is no Python, which is an error in CI */
export function pythonWithClient(system: TestSystem): Promise<string | null> {
  installed ??= install(system);
  return installed;
}

async function install({ folder, state }: TestSystem): Promise<string | null> {
  const missing = await whyNoPython();
  if (missing !== null) {
    if (process.env.CI === 'true') throw new Error(missing);
    console.warn(`${missing}: the examples in Python are not run`);
    return null;
  }
  const tools = await pythonTools('tools');
  await buildClient(tools);
  const { files } = await buildDownloads({ report: () => {}, isComplete: true });
  const served = files.find(({ name }) => name === 'offer-ads');
  const wheel = `${state().gateway}/downloads/${served?.file}#sha256=${served?.sha256}`;
  return installClient(join(folder, 'python'), { wheel, wheels: tools.wheels });
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
