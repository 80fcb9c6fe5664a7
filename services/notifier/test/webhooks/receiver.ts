/** A receiver of webhooks that behaves as a test tells it: on sockets, so that it can also misbehave below HTTP. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from '@offer-ads/testing/certificate';

export type Received = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Answers a request on its socket. */
export type Behaviour = (socket: Socket, received: Received) => void;

export type Receiver = AsyncDisposable & {
  readonly port: number;
  readonly received: readonly Received[];
  /** Connections, whether or not a request came over them. */
  readonly connections: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  behave: Behaviour;
};

export const answerWith =
  (
    status: number,
    { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
  ): Behaviour =>
  (socket) => {
    const lines = Object.entries({ 'content-length': `${Buffer.byteLength(body)}`, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} Status\r\n${head}\r\n${body}`);
  };

export async function startReceiver(
  o: { certificate?: Certificate; behave?: Behaviour } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    let isHandled = false;
    socket.on('data', (data: Buffer) => {
      text += data.toString();
      const request = isHandled ? undefined : readRequest(text);
      if (request === undefined) return;
      isHandled = true;
      received.push(request);
      receiver.behave(socket, request);
    });
  };
  const server = o.certificate === undefined ? createServer(accept) : createTlsServer(o.certificate, accept);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  const receiver: Receiver = {
    port: address.port,
    received,
    connections: () => connections,
    open: () => sockets.size,
    behave: o.behave ?? answerWith(200),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Undefined until it is complete. */
function readRequest(text: string): Received | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  if (rest.length === 0) return undefined;
  const body = rest.join('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  if (Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return undefined;
  return { path: first.split(' ')[1] ?? '', headers, body };
}
