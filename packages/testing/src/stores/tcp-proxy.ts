/** A TCP proxy between a client and a server. A test can cut its connections, refuse new ones, or stop the traffic. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export type TcpProxy = AsyncDisposable & {
  /** The address of the server through this proxy. */
  readonly url: string;
  /** Breaks all connections; new ones are accepted. */
  readonly cut: () => void;
  /** Breaks all connections and refuses new ones, like a server that is down. */
  readonly takeDown: () => void;
  readonly bringBack: () => void;
  /**
   * Passes no more bytes and closes nothing, like a network that drops all packets.
   * @param o.newToo new connections are silent too, until `bringBack`; otherwise they work
   */
  readonly freeze: (o?: { readonly newToo: boolean }) => void;
  /** Each piece of what the server says comes so much later, on all connections; 0: at once. */
  readonly slowDown: (millis: number) => void;
};

/** @param port of 127.0.0.1; 0 is any free one */
export async function startTcpProxy(target: string, port = 0): Promise<TcpProxy> {
  const address = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let down = false;
  let newAreSilent = false;
  let delayMs = 0;
  const delay = () =>
    new Transform({
      transform: (piece, _, pass) => {
        if (delayMs === 0) pass(null, piece);
        else setTimeout(pass, delayMs, null, piece);
      },
    });

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
    if (newAreSilent) client.pause();
    else client.pipe(upstream).pipe(delay()).pipe(client);
  });
  server.listen(port, '127.0.0.1');
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
      newAreSilent = false;
    },
    freeze: ({ newToo } = { newToo: false }) => {
      newAreSilent = newToo;
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
        client.pause();
        upstream.pause();
      }
    },
    slowDown: (millis) => {
      delayMs = millis;
    },
    [Symbol.asyncDispose]: async () => {
      down = true;
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
