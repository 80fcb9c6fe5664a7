/** A service behind the gateway that answers as the test says and keeps what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallerContext, callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { type TestClockAhead, testClockPath } from '@offer-ads/contracts/internal/test-clock-api';

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer };

export type FakeUpstream = AsyncDisposable & {
  readonly url: string;
  /** The requests that `answer` has answered, each with its whole body. */
  readonly seen: Seen[];
  /** What it answers about the test clock of any organisation. */
  testClockAheadSeconds: number;
  /** Handles every request. Set it for what `answer` cannot do, such as breaking the connection. */
  respond: (req: IncomingMessage, res: ServerResponse) => void;
  /** From now on: reads the whole body, then answers with this JSON. */
  readonly answer: (status: number, body: unknown, headers?: Record<string, string>) => void;
  /** Forgets what it was asked, and answers 200 with `S1`, as at the start. */
  readonly reset: () => void;
};

/** As that of services: longer than the gateway keeps an idle connection, so that the gateway closes first. */
const keepAliveTimeout = 65_000;

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const server = createServer({ keepAliveTimeout }, (req, res) => {
    if (req.url !== testClockPath) return fake.respond(req, res);
    // The gateway's own question, whatever the test lets the service answer to callers.
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ aheadSeconds: fake.testClockAheadSeconds } satisfies TestClockAhead));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    testClockAheadSeconds: 0,
    respond: () => {},
    answer: (status, body, headers) => {
      fake.respond = (req, res) => {
        const chunks: Buffer[] = [];
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('error', () => {});
        req.on('end', () => {
          const { method = '', url = '', headers: sent } = req;
          fake.seen.push({ method, url, headers: sent, body: Buffer.concat(chunks) });
          res.writeHead(status, { 'content-type': 'application/json', ...headers });
          res.end(JSON.stringify(body));
        });
      };
    },
    reset: () => {
      fake.seen.length = 0;
      fake.testClockAheadSeconds = 0;
      fake.answer(200, { return_code: 'S1' });
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  fake.reset();
  return fake;
}

/** The caller context of the service's last request, read without the secret: the platform tests the signature. */
export function lastCallerAt(upstream: FakeUpstream): CallerContext {
  const token = String(upstream.seen.at(-1)?.headers[callerContextHeader]);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as CallerContext;
}
