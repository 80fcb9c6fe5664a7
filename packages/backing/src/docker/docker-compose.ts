/** The stores by docker compose, for a person: their data stays in volumes until `npm run reset`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { containerPorts, readyContainer } from './containers.ts';
import type { ContainerRunner } from './docker.ts';

const run = promisify(execFile);

const composeFile = fileURLToPath(new URL('docker-compose.yml', import.meta.url));

/** One compose project per data folder, so that two checkouts do not share their data. */
export function dockerCompose(folder: string): ContainerRunner {
  const compose = composeOf(folder);
  // Two `up` at once would both try to create the project's network.
  let previous: Promise<unknown> = Promise.resolve();
  return {
    check: async () => {
      await compose('version');
    },
    start: async (store) => {
      writeFileSync(markerOf(folder), '');
      const started = previous.then(() => compose('up', '--detach', store));
      previous = started.catch(() => {});
      await started;
      const address = (await compose('port', store, String(containerPorts[store]))).trim();
      const stop = async () => {
        await compose('stop', store);
      };
      try {
        return { url: await readyContainer(store, address), stop };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}

/** Removes containers and volumes, if runs with this folder have created any. */
export async function removeComposeProject(folder: string): Promise<void> {
  if (!existsSync(markerOf(folder))) return;
  await composeOf(folder)('down', '--volumes');
  rmSync(markerOf(folder));
}

function markerOf(folder: string): string {
  return join(folder, 'runs-in-compose');
}

/** Uses the compose plugin if it is installed, otherwise the older program docker-compose. */
function composeOf(folder: string): (...args: string[]) => Promise<string> {
  const project = `offer-ads-${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 8)}`;
  const options = ['--project-name', project, '--file', composeFile];
  let command: Promise<[string, string[]]> | undefined;
  return async (...args) => {
    command ??= chooseCommand();
    const [program, first] = await command;
    const { stdout } = await run(program, [...first, ...options, ...args]);
    return stdout;
  };
}

async function chooseCommand(): Promise<[string, string[]]> {
  try {
    await run('docker', ['compose', 'version']);
    return ['docker', ['compose']];
  } catch {
    await run('docker-compose', ['version']).catch(() => {
      throw new Error('neither `docker compose` nor docker-compose is installed');
    });
    return ['docker-compose', []];
  }
}
