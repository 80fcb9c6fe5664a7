/** Makes a store of the test run reachable by TLS only, as managed stores are. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from '../certificate.ts';

export type TlsFront = AsyncDisposable & { readonly port: number };

/** A client of Postgres asks so for TLS, in clear; the answer is one byte. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param target the address of the store, whose protocol may be `postgres:` */
export async function startTlsFront(target: string, certificate: Certificate): Promise<TlsFront> {
  const { protocol, hostname, port } = new URL(target);
  const secureContext = createSecureContext(certificate);
  const sockets = new Set<Socket>();
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    follow(client);
    void pass(client).catch(() => client.destroy());
  });

  async function pass(client: Socket): Promise<void> {
    if (protocol.startsWith('postgres')) {
      const [asked] = (await once(client, 'data')) as [Buffer];
      client.pause();
      if (!asked.equals(SSL_REQUEST)) return void client.destroy();
      client.write('S');
    }
    const secured = new TLSSocket(client, { isServer: true, secureContext });
    await once(secured, 'secure');
    const store = connect(Number(port), hostname);
    for (const socket of [secured, store]) follow(socket);
    store.on('close', () => secured.destroy());
    secured.on('close', () => store.destroy());
    secured.pipe(store).pipe(secured);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
