/** The Python client as advertisers have it: built once for a run, and installed from its wheel into an environment of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from '@offer-ads/sdk-python/build';
import { installClient, pythonTools, whyNoPython } from '@offer-ads/sdk-python/python-tools';

let installed: Promise<string | null> | undefined;

/** @returns the `python` of the environment; null where there is no Python, which is an error in CI */
export function pythonWithClient(folder: string): Promise<string | null> {
  installed ??= install(folder);
  return installed;
}

async function install(folder: string): Promise<string | null> {
  const missing = await whyNoPython();
  if (missing !== null) {
    if (process.env.CI === 'true') throw new Error(missing);
    console.warn(`${missing}: the examples in Python are not run`);
    return null;
  }
  const tools = await pythonTools('tools');
  const { wheel } = await buildClient(tools, join(folder, 'python-client'));
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
