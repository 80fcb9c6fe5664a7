/** A service behind the gateway that answers as the test says and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer };

export type FakeUpstream = AsyncDisposable & {
  readonly url: string;
  /** Requests whose bodies have arrived whole. */
  readonly seen: Seen[];
  /** Replaces the answer: before the body is read, when a listener takes the request itself. */
  respond: (req: IncomingMessage, res: ServerResponse) => void;
};

/** As that of services: longer than the gateway keeps an idle connection, so that no request meets one that is just being closed. */
const keepAliveTimeout = 65_000;

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const server = createServer({ keepAliveTimeout }, (req, res) => fake.respond(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    respond: answerJson(fakeReply),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;

  function fakeReply(seen: Seen) {
    fake.seen.push(seen);
    return { status: 200, body: { return_code: 'S1', path: seen.url } };
  }
}

/** Reads the whole body, then answers with JSON. */
export function answerJson(
  answer: (seen: Seen) => { status: number; body: unknown; headers?: Record<string, string> },
): FakeUpstream['respond'] {
  return (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => {});
    req.on('end', () => {
      const { method = '', url = '', headers } = req;
      const reply = answer({ method, url, headers, body: Buffer.concat(chunks) });
      res.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      res.end(JSON.stringify(reply.body));
    });
  };
}
