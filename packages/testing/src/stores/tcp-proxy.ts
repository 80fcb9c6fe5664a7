/** A wire that a test can cut: stands between a client and a server and passes bytes, until told otherwise. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = AsyncDisposable & {
  /** The server's address, by way of this proxy. */
  readonly url: string;
  /** Breaks every connection; new ones are let through. */
  readonly cut: () => void;
  /** Breaks every connection and refuses new ones, as a server that is down. */
  readonly takeDown: () => void;
  readonly bringBack: () => void;
  /** Passes no more bytes and closes nothing, as a network that swallows everything. */
  readonly freeze: () => void;
};

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const address = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let down = false;

  const server = createServer((client) => {
    if (down) return void client.resetAndDestroy();
    const upstream = connect(Number(address.port), address.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const either of pair) either.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  const cut = () => {
    for (const [client] of pairs) client.resetAndDestroy();
  };
  return {
    url: url.href,
    cut,
    takeDown: () => {
      down = true;
      cut();
    },
    bringBack: () => {
      down = false;
    },
    freeze: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.pause();
        upstream.pause();
      }
    },
    [Symbol.asyncDispose]: async () => {
      down = true;
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
