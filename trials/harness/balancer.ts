/** Works like a Kubernetes Service: each new connection goes to one of the ready replicas; open connections stay where they are. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Balancer = AsyncDisposable & {
  /** Resolves when the replica is ready and gets connections. */
  readonly add: (port: number) => Promise<void>;
  /** Sends it no new connections, as to a pod that begins to end. */
  readonly remove: (port: number) => void;
};

/** Probed each second, and out after two failures as in the manifests, where probes are 5 s apart. */
const probeEveryMs = 1_000;
const probeWithinMs = 2_000;
const failuresUntilOut = 2;

type Replica = { readonly port: number; isReady: boolean; failures: number };

export function startBalancer(port: number): Balancer {
  const replicas = new Map<number, Replica>();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let changing = Promise.resolve();
  const over = new AbortController();

  const readyOnes = () => [...replicas.values()].filter(({ isReady }) => isReady);

  /** Without a ready replica connections are refused, as by a Service without endpoints. Rejects when the port is taken. */
  function listenOrNot(): Promise<void> {
    const changed = changing.then(adapt);
    changing = changed.catch(() => {});
    return changed;
  }

  async function adapt(): Promise<void> {
    const wanted = readyOnes().length > 0 && !over.signal.aborted;
    if (wanted && server === undefined) {
      const listening = createServer({ allowHalfOpen: true, noDelay: true }, pass).listen(port, '127.0.0.1');
      await once(listening, 'listening');
      server = listening;
    } else if (!wanted && server !== undefined) {
      server.close();
      server = undefined;
    }
  }

  function pass(client: Socket): void {
    const ready = readyOnes();
    const replica = ready[Math.floor(Math.random() * ready.length)];
    if (replica === undefined) return void client.resetAndDestroy();
    const server = connect({ port: replica.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        sockets.delete(one);
        other.end();
      });
      one.pipe(other);
    }
  }

  async function probe(): Promise<void> {
    await Promise.all(
      [...replicas.values()].map(async (replica) => {
        if (await answersReady(replica.port)) {
          replica.failures = 0;
          replica.isReady = true;
        } else {
          replica.failures += 1;
          if (replica.failures >= failuresUntilOut) replica.isReady = false;
        }
      }),
    );
    // `add` reports the fault.
    await listenOrNot().catch(() => {});
  }

  const probing = (async () => {
    while (!over.signal.aborted) {
      await probe();
      await pause(probeEveryMs, undefined, { signal: over.signal }).catch(() => {});
    }
  })();

  return {
    add: async (added) => {
      const replica = { port: added, isReady: false, failures: 0 };
      replicas.set(added, replica);
      while (!replica.isReady && replicas.has(added)) await pause(50);
      await listenOrNot();
    },
    remove: (removed) => {
      replicas.delete(removed);
      void listenOrNot().catch(() => {});
    },
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await probing;
      await listenOrNot();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function answersReady(port: number): Promise<boolean> {
  try {
    const url = `http://127.0.0.1:${port}/readyz`;
    // A new connection each time, because a probe must not keep one open to a replica that is about to end.
    const reply = await fetch(url, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(probeWithinMs),
    });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}
