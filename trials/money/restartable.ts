/** A service under test that can be stopped, or killed, and started again at the same address. */
import { silentLogger } from '@offer-ads/testing/logger';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';

/** A service's connections to its stores go through these. When they are down, a killed service changes nothing any more. */
export type Proxies = { readonly database: TcpProxy; readonly broker: TcpProxy };

export type Restartable<S> = AsyncDisposable & {
  readonly running: () => S;
  readonly proxies: () => Proxies;
  readonly restart: (how: 'stopped' | 'killed') => Promise<void>;
  /** Waits for a restart that is under way. */
  readonly restarted: () => Promise<void>;
};

export async function startRestartable<S extends AsyncDisposable>(
  stores: { readonly databaseUrl: string; readonly rabbitmqUrl: string },
  start: (stores: { databaseUrl: string; rabbitmqUrl: string }) => Promise<S>,
): Promise<Restartable<S>> {
  let current = await startOnce();
  let restarting = Promise.resolve();

  async function startOnce() {
    await using started = new AsyncDisposableStack();
    const database = started.use(await startTcpProxy(stores.databaseUrl));
    const broker = started.use(await startTcpProxy(stores.rabbitmqUrl));
    const service = await start({ databaseUrl: database.url, rabbitmqUrl: broker.url });
    started.move();
    return { service, proxies: { database, broker } };
  }

  async function end({ service, proxies }: typeof current): Promise<void> {
    await Promise.resolve(service[Symbol.asyncDispose]()).catch((error: unknown) =>
      silentLogger.info({ error }, 'a killed service did not stop in good order'),
    );
    await Promise.all(Object.values(proxies).map((proxy) => proxy[Symbol.asyncDispose]()));
  }

  return {
    running: () => current.service,
    proxies: () => current.proxies,
    restarted: () => restarting,
    restart: (how) => {
      const before = restarting;
      restarting = (async () => {
        await before;
        if (how === 'killed') for (const proxy of Object.values(current.proxies)) proxy.takeDown();
        await end(current);
        current = await startOnce();
      })();
      return restarting;
    },
    [Symbol.asyncDispose]: async () => {
      await restarting;
      await end(current);
    },
  };
}
