/** A system for tests: on the stores of the run, with databases of its own. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from '@offer-ads/backing/data-folder';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { repository } from '@offer-ads/dev/start/folder';
import { requireAddress, storeAddresses } from '@offer-ads/testing/config';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type System, type SystemOptions, startSystem } from './system.ts';

export type TestSystem = System & {
  /** The TEST balance in pounds, read from billing. */
  readonly balance: (organisationId: number) => Promise<string>;
};

export type TestSystemOptions = Pick<SystemOptions, 'env' | 'withConsole' | 'withCommunity' | 'replicas'>;

export async function startTestSystem(o: TestSystemOptions = {}): Promise<TestSystem> {
  await using starting = new AsyncDisposableStack();
  // The next test run stops and removes what a killed run leaves here.
  const runs = join(repository, '.dev/tests');
  mkdirSync(runs, { recursive: true });
  const folder = starting.adopt(mkdtempSync(join(runs, 'system-')), removeFolder);
  const { env, dispose } = await storesOfRun();
  starting.defer(dispose);
  const system = starting.use(
    await startSystem({
      ...o,
      folder,
      runFolder: folder,
      say: () => {},
      stores: { env, forTests: true },
      compileCache: join(repository, '.dev/compile-cache'),
    }),
  );
  const running = starting.move();
  return {
    ...system,
    balance: async (organisationId) => {
      const path = `/admin/balances?organisationId=${organisationId}&mode=TEST&currency=GBP`;
      const { balanceMinor } = await eventually(() =>
        system.callAdmin<{ balanceMinor: string }>('BILLING', 'GET', path),
      );
      return formatMinor(BigInt(balanceMinor), 'GBP');
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The stores in the variables that `npm start` reads, without a broker: systems on one would take each other's events. */
export async function storesOfRun(): Promise<{
  readonly env: NodeJS.ProcessEnv;
  readonly dispose: () => Promise<void>;
}> {
  const databases = await Promise.all(
    (['gateway', 'offers', 'billing'] as const).map(
      async (service) => [service, await createTestDatabase(service)] as const,
    ),
  );
  const mongo = new URL(requireAddress('mongo'));
  mongo.pathname = `/system_${randomUUID().replaceAll('-', '')}`;
  return {
    env: {
      ...Object.fromEntries(
        databases.map(([service, { url }]) => [`${service.toUpperCase()}_DATABASE_URL`, url]),
      ),
      MONGO_URL: mongo.href,
      VALKEY_URL: valkeyOfSystem(),
      RABBITMQ_URL: undefined,
    },
    dispose: async () => void (await Promise.all(databases.map(([, database]) => database.dispose()))),
  };
}

let systemsOfWorker = 0;

/** A database of its own for the counts of each system, because all systems of a run call from the same address. A server has 16. */
function valkeyOfSystem(): string | undefined {
  const { valkey } = storeAddresses();
  if (valkey === undefined) return undefined;
  const url = new URL(valkey);
  url.pathname = `/${(2 * systemsOfWorker + Number(process.env.JEST_WORKER_ID ?? 0)) % 16}`;
  systemsOfWorker += 1;
  return url.href;
}
