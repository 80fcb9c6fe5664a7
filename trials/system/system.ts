/** The whole system as `npm start` runs it, for tests: six processes, simulators, demo data, a broker that can go away. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Backing, provideBacking } from '@offer-ads/backing/backing';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import type { DevState } from '@offer-ads/dev/start/state';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { storeAddresses } from '@offer-ads/testing/config';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import pg from 'pg';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export type System = AsyncDisposable & {
  /** Its own instead of `.dev`. */
  readonly folder: string;
  /** Read anew each time, because a restarted service has another process id. */
  readonly state: () => DevState;
  /** Where each service is. */
  readonly services: () => Readonly<Record<ServiceName, string>>;
  /** What `npm start` has printed so far. */
  readonly output: () => string;
  /** Stands between the services and RabbitMQ. */
  readonly broker: TcpProxy;
  /** Runs the admin tool with `--json`, again after a 503; rejects with what it printed when it fails. */
  readonly admin: <T>(...args: readonly string[]) => Promise<T>;
  /** TEST balance in pounds, asked of billing itself, because a process per question takes its time. */
  readonly balance: (organisationId: number) => Promise<string>;
  /** Breaks something on purpose, and mends it. */
  readonly inOffersDatabase: (sql: string) => Promise<void>;
};

/** As long as services may take to become ready (dev/start/supervisor.ts), and then the pages, the stores and demo data. */
const readyWithinMs = 240_000;

export type SystemOptions = {
  /** For the environment of all its processes. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Two systems on one broker would take each other's events: a second one beside the first needs its own. */
  readonly broker?: 'shared' | 'own';
};

export async function startSystem({
  settings = {},
  broker: whose = 'shared',
}: SystemOptions = {}): Promise<System> {
  mkdirSync(join(repository, '.dev'), { recursive: true });
  const folder = mkdtempSync(join(repository, '.dev', 'system-'));
  const shared = storeAddresses() as StoresOfRun;
  const own = whose === 'own' ? await ownBroker(shared, join(folder, 'broker')) : undefined;
  const stores = { ...shared, rabbitmq: own?.rabbitmqUrl ?? shared.rabbitmq };
  const unique = `system_${randomUUID().replaceAll('-', '')}`;
  const database = (service: string) => withPath(stores.postgres, `${unique}_${service}`);
  const broker = await startTcpProxy(stores.rabbitmq);
  const environment = {
    ...process.env,
    ...settings,
    DEV_FOLDER: folder,
    GATEWAY_DATABASE_URL: database('gateway'),
    OFFERS_DATABASE_URL: database('offers'),
    BILLING_DATABASE_URL: database('billing'),
    MONGO_URL: withPath(stores.mongo, unique),
    RABBITMQ_URL: broker.url,
  };
  const child = spawn(process.execPath, ['dev/start.ts'], { cwd: repository, env: environment });
  const output = collect(child);
  const stateFile = join(folder, 'state.json');

  const dispose = async () => {
    broker.bringBack();
    await stop(child);
    await broker[Symbol.asyncDispose]();
    await own?.[Symbol.asyncDispose]();
    await dropDatabases(stores.postgres, unique);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`npm start ended:\n${output()}`);
        if (!existsSync(stateFile)) throw new Error(`npm start is not ready:\n${output()}`);
      },
      { timeoutMs: readyWithinMs },
    );
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    folder,
    state: () => JSON.parse(readFileSync(stateFile, 'utf8')) as DevState,
    services: () => servicesOf(adminSettings(folder)),
    output,
    broker,
    admin: async <T>(...args: readonly string[]) => JSON.parse(await runAdmin(args, folder)) as T,
    balance: (organisationId) =>
      eventually(async () => {
        const { BILLING_ADMIN_URL, ADMIN_TOKEN } = adminSettings(folder);
        const query = `organisationId=${organisationId}&mode=TEST&currency=GBP`;
        const response = await fetch(`${BILLING_ADMIN_URL}/admin/balances?${query}`, {
          headers: { authorization: `Bearer ${adminCredential(ADMIN_TOKEN, 'billing')}` },
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`asked for the balance: ${response.status} ${text}`);
        const { balanceMinor } = JSON.parse(text) as { balanceMinor: string };
        return formatMinor(BigInt(balanceMinor), 'GBP');
      }),
    inOffersDatabase: (sql) => runSql(database('offers'), [sql]),
    [Symbol.asyncDispose]: dispose,
  };
}

type Ended = { readonly stdout: string; readonly refusal?: Error };

async function runAdmin(args: readonly string[], folder: string): Promise<string> {
  const command = ['packages/admin/src/main.ts', ...args, '--json'];
  const env = { ...process.env, DEV_FOLDER: folder };
  const { stdout, refusal } = await eventually(async (): Promise<Ended> => {
    try {
      return await promisify(execFile)(process.execPath, command, { cwd: repository, env });
    } catch (error) {
      // A busy machine gives it now and then; every other refusal is the test's to judge.
      const { stdout: printed } = error as Error & { stdout: string };
      if (printed.includes('Service unavailable (HTTP 503)')) throw error;
      return { stdout: printed, refusal: error as Error };
    }
  });
  if (refusal !== undefined) throw refusal;
  return stdout;
}

type StoresOfRun = {
  readonly postgres: string;
  readonly mongo: string;
  readonly rabbitmq: string;
  readonly valkey?: string;
};

/** RabbitMQ alone: what the run has of the others is given. */
function ownBroker(run: StoresOfRun, folder: string): Promise<Backing> {
  return provideBacking({
    folder,
    addresses: {
      postgres: { variable: 'TEST_POSTGRES_URL', url: run.postgres },
      mongo: { variable: 'TEST_MONGO_URL', url: run.mongo },
      rabbitmq: { variable: 'the address of a broker of its own', url: undefined },
      valkey: { variable: 'TEST_VALKEY_URL', url: run.valkey },
    },
    containers: 'testcontainers',
    durable: false,
    report: () => {},
  });
}

type AdminSettings = Readonly<Record<`${Uppercase<ServiceName>}_ADMIN_URL` | 'ADMIN_TOKEN', string>>;

function adminSettings(folder: string): AdminSettings {
  return JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8')) as AdminSettings;
}

function servicesOf(settings: AdminSettings): Readonly<Record<ServiceName, string>> {
  const addresses = serviceNames.map((name) => [
    name,
    settings[`${name.toUpperCase() as Uppercase<typeof name>}_ADMIN_URL`],
  ]);
  return Object.fromEntries(addresses) as Record<ServiceName, string>;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function dropDatabases(server: string, prefix: string): Promise<void> {
  const drop = (service: string) => `DROP DATABASE IF EXISTS ${prefix}_${service} WITH (FORCE)`;
  await runSql(server, ['gateway', 'offers', 'billing'].map(drop));
}

async function runSql(address: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function withPath(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}
