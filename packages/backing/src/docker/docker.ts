/** Finds out whether Docker can run a store: it answers, and it has the image or pulls it in time. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { found, type Look, notFound, reasonOf } from '../find.ts';
import { onPath } from '../on-path.ts';
import type { RunningStore, Store } from '../stores.ts';
import { images } from './containers.ts';

const run = promisify(execFile);

/** Runs containers: testcontainers in tests, compose for a person. */
export type ContainerRunner = {
  /** Rejects with the reason when it cannot run containers here. */
  readonly check: () => Promise<void>;
  readonly start: (store: Store) => Promise<RunningStore>;
};

/** Looks for one store. Whether Docker works at all is asked only once. */
export function lookInDocker(
  runner: ContainerRunner,
): (store: Store) => Promise<Look<() => Promise<RunningStore>>> {
  let works: Promise<void> | undefined;
  return async (store) => {
    const image = images[store];
    try {
      works ??= daemonAnswers().then(runner.check);
      await works;
    } catch (error) {
      return notFound(reasonOf(error));
    }
    if (await hasImage(image)) return found(() => runner.start(store), `image ${image} is present`);
    try {
      await pull(image);
      return found(() => runner.start(store), `image ${image} was pulled`);
    } catch (error) {
      return notFound(`image ${image} is missing and could not be pulled (${reasonOf(error)})`);
    }
  };
}

/** A daemon that is up answers within milliseconds. */
const ANSWER_BOUND_MS = 5_000;
/** A longer pull takes more time than the embedded servers, even on their first run. */
const PULL_BOUND_MS = 60_000;

async function daemonAnswers(): Promise<void> {
  if (onPath('docker') === undefined) throw new Error('no docker on PATH');
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: ANSWER_BOUND_MS });
  } catch {
    throw new Error('its daemon does not answer');
  }
}

export async function hasImage(image: string): Promise<boolean> {
  try {
    await run('docker', ['image', 'inspect', image]);
    return true;
  } catch {
    return false;
  }
}

/** Rejects with the reason when the image does not arrive in time. */
export async function pull(image: string): Promise<void> {
  try {
    await run('docker', ['pull', '--quiet', image], { timeout: PULL_BOUND_MS });
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    const reason = killed === true ? 'not within a minute' : (stderr ?? '').trim() || reasonOf(error);
    throw new Error(reason, { cause: error });
  }
}
