/** A service under test that can be stopped, or killed, and started again at the same address. */
import { silentLogger } from '@offer-ads/testing/logger';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';

/** A service's wires to its stores: a killed process no longer changes anything, whatever it was about to do. */
export type Wires = { readonly database: TcpProxy; readonly broker: TcpProxy };

export type Restartable<S> = AsyncDisposable & {
  readonly running: () => S;
  readonly wires: () => Wires;
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
    return { service, wires: { database, broker } };
  }

  async function end({ service, wires }: typeof current): Promise<void> {
    await Promise.resolve(service[Symbol.asyncDispose]()).catch((error: unknown) =>
      silentLogger.info({ error }, 'what was killed does not stop in good order'),
    );
    await Promise.all(Object.values(wires).map((wire) => wire[Symbol.asyncDispose]()));
  }

  return {
    running: () => current.service,
    wires: () => current.wires,
    restarted: () => restarting,
    restart: (how) => {
      const before = restarting;
      restarting = (async () => {
        await before;
        if (how === 'killed') for (const wire of Object.values(current.wires)) wire.takeDown();
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
