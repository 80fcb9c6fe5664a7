/** `npm start` on the drill's stores, and the commands of the guide against it, as a person gives them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { NotTrue } from '@offer-ads/dev/demo/telling';
import { repository } from '@offer-ads/dev/start/folder';
import type { DevState } from '@offer-ads/dev/start/state';
import type { DrillStores } from './stores.ts';

export type DrillSystem = {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly state: () => DevState;
  /** Runs the admin tool; what it prints also when it ends with status 1. */
  readonly admin: <T>(...words: readonly string[]) => Promise<T>;
  /** `migrate.ts --restored` of the three services. */
  readonly migrateRestored: (...services: readonly PostgresService[]) => Promise<void>;
};

export const postgresServices = ['gateway', 'offers', 'billing'] as const;
export type PostgresService = (typeof postgresServices)[number];

const run = promisify(execFile);

export function drillSystem(folder: string, stores: DrillStores): DrillSystem {
  let child: ChildProcess | undefined;
  let output = '';
  const stateFile = join(folder, 'state.json');
  const addresses = () => ({
    ...Object.fromEntries(
      postgresServices.map((service) => [
        `${service.toUpperCase()}_DATABASE_URL`,
        at(stores.postgresUrl(), service),
      ]),
    ),
    MONGO_URL: at(stores.mongoUrl(), 'drill'),
    RABBITMQ_URL: stores.rabbitmqUrl(),
  });

  /** False: it ended before it was ready. */
  async function started(): Promise<boolean> {
    // One thread of the model is enough for a few pictures, and is ready sooner.
    const env = { ...process.env, ...addresses(), DEV_FOLDER: folder, MODEL_THREADS: '1' };
    const starting = spawn(process.execPath, ['dev/start.ts'], { cwd: repository, env });
    child = starting;
    output = '';
    for (const stream of [starting.stdout, starting.stderr])
      stream.on('data', (text) => {
        output = (output + String(text)).slice(-20_000);
      });
    while (starting.exitCode === null) {
      if (existsSync(stateFile)) return true;
      await pause(200);
    }
    return false;
  }

  async function stop(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once('close', resolve));
    ending.kill('SIGTERM');
    await ended;
  }

  return {
    async start() {
      // On a machine that is busy with other work a service may miss the time in which it must be ready.
      for (let attempt = 1; !(await started()); attempt += 1)
        if (attempt === 6) throw new NotTrue(`npm start ended:\n${output}`);
    },
    stop,
    state: () => JSON.parse(readFileSync(stateFile, 'utf8')) as DevState,
    async admin<T>(...words: readonly string[]) {
      const settings = JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8')) as Record<string, string>;
      const command = ['packages/admin/src/main.ts', ...words, '--json'];
      const { stdout } = await run(process.execPath, command, {
        cwd: repository,
        env: { ...process.env, ...settings },
      }).catch((error: unknown) => {
        if (error instanceof Error && 'stdout' in error && error.stdout !== '')
          return error as { stdout: string };
        throw error;
      });
      return JSON.parse(stdout) as T;
    },
    async migrateRestored(...services) {
      for (const service of services)
        await run(process.execPath, [`services/${service}/src/migrate.ts`, '--restored'], {
          cwd: repository,
          env: { ...process.env, ...addresses() },
        });
    },
  };
}

function at(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}
