import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A server of a process with telemetry. It prints its address on standard error, and ends after a request to /end. */
const script = `
  import { systemClock } from ${module('../process/clock.ts')};
  import { startHttpServer } from ${module('../http/server.ts')};
  import { createLogger } from ${module('./logging.ts')};
  import { createMetrics } from ${module('./metrics.ts')};
  import { z } from 'zod';
  import { createDeadline } from ${module('../calls/deadline.ts')};
  import { createServiceClient } from ${module('../calls/service-client.ts')};
  import { restingTrace } from ${module('./traces.ts')};
  const { promise: ended, resolve } = Promise.withResolvers();
  const logger = createLogger({ service: 'offers', level: 'info' });
  const metrics = createMetrics('offers');
  await using billing = createServiceClient({ name: 'billing', baseUrl: process.env.ECHO, timeoutMs: 2_000, logger, metrics });
  await using server = await startHttpServer({
    host: '127.0.0.1', port: 0, logger, metrics, clock: systemClock, readiness: async () => [],
    fastPath: (req) => req.url === '/faults' ? () => Promise.reject(new Error('of the test')) : null,
    routes: (app) => {
      app.get('/end', (_req, res) => res.json({}).once('close', resolve));
      app.get('/links/:token', (_req, res) => res.json(restingTrace()));
      app.get('/calls', async (_req, res) => {
        const call = { method: 'GET', path: '/', callerToken: 'token', requestId: 'request', reply: z.any() };
        const own = await billing.call({ ...call, deadline: createDeadline(2_000) });
        const others = await fetch(process.env.ECHO).then((reply) => reply.json());
        res.json({ own, others });
      });
    },
  });
  process.stderr.write(server.url);
  await ended;`;

const link = '/links/opens-a-door?signature=its-key';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceId = traceparent.slice(3, 35);
const continued = { traceparent: expect.stringContaining(traceId) };

type Line = { msg: string; route?: string; traceId?: string; spanId?: string };
type Ask = (path: string, headers?: Record<string, string>) => Promise<unknown>;

/** Runs that process; `lingeredMs` is how long it lived on after its last reply. */
async function run<T>(env: NodeJS.ProcessEnv, work: (ask: Ask) => Promise<T>) {
  const hook = fileURLToPath(new URL('./telemetry.ts', import.meta.url));
  const args = ['--import', hook, '--input-type=module-typescript', '--eval', script];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  const log = text(child.stdout);
  const ended = once(child, 'close');
  const [url] = await once(child.stderr, 'data');
  const ask: Ask = async (path, headers = {}) => (await fetch(`${url}${path}`, { headers })).json();
  const replies = await work(ask);
  await ask('/end');
  const answeredAt = performance.now();
  await ended;
  const lines = (await log)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const ofRoute = (route: string) => lines.filter((line) => line.route === route);
  return { replies, lines, ofRoute, lingeredMs: performance.now() - answeredAt };
}

/** A server in this process, for what that process sends. */
async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: close };
}

describe('telemetry', () => {
  it('without a collector puts trace ids into logs and into calls to our services, and lets the process end at once', async () => {
    using echo = await listening(({ headers }, res) => res.end(JSON.stringify(headers)));
    const { replies, lines, ofRoute, lingeredMs } = await run({ ECHO: echo.url }, async (ask) => ({
      link: await ask(link, { traceparent, baggage: 'person=ann%40example.com,door=a-key' }),
      withoutTrace: await ask(link),
      fault: await ask('/faults', { traceparent }),
      calls: (await ask('/calls', { traceparent })) as Record<'own' | 'others', object>,
    }));
    // With exporters that find no collector it is eight seconds.
    expect(lingeredMs).toBeLessThan(5_000);
    // Of what the caller sent, only the trace is passed on.
    expect(replies.link).toEqual(continued);
    const [withTrace, withoutTrace] = ofRoute('/links/:token');
    expect(withTrace?.traceId).toBe(traceId);
    expect(withoutTrace?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    // Also of a request that express does not serve.
    expect(lines.filter(({ msg }) => msg === 'unexpected error')).toMatchObject([{ traceId }]);
    const { own, others } = replies.calls;
    expect(own).toMatchObject(continued);
    expect(others).toHaveProperty('host');
    expect(others).not.toHaveProperty('traceparent');
  });

  it('with a collector records only what the head of the trace chose, neither the path and query nor who called', async () => {
    const received: Buffer[] = [];
    using collector = await listening((req, res) => {
      req.on('data', (chunk: Buffer) => received.push(chunk)).on('end', () => res.end());
    });
    using echo = await listening(({ headers }, res) => res.end(JSON.stringify(headers)));
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      ECHO: echo.url,
    };
    const notChosen = traceparent.replace(/01$/, '00');
    const { replies, lines, ofRoute } = await run(env, async (ask) => ({
      chosen: await ask(link, { traceparent }),
      head: (await ask('/calls')) as { own: Record<string, string> },
      notChosen: (await ask('/calls', { traceparent: notChosen })) as { own: Record<string, string> },
      fault: await ask('/faults', { traceparent }),
    }));
    // Protocol buffers hold texts as they are.
    const spans = Buffer.concat(received).toString('latin1');
    expect(spans).toContain('GET /links/:token');
    expect(spans).toContain('GET unmatched');
    expect(spans).not.toMatch(/GET \/calls|GET billing/);
    expect(spans).not.toMatch(/opens-a-door|its-key/);
    expect(replies.chosen).toEqual({
      traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-.{16}-01$`)),
    });
    expect(replies.head.own['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(replies.notChosen.own['traceparent']).toMatch(
      new RegExp(`^00-${traceId}-(?!${traceparent.slice(36, 52)}).{16}-00$`),
    );
    expect(ofRoute('/links/:token')).toMatchObject([{ traceId, spanId: expect.any(String) }]);
    const [head, below] = ofRoute('/calls');
    expect(head?.traceId).toBe(replies.head.own['traceparent']?.slice(3, 35));
    expect(below?.traceId).toBe(traceId);
    expect([head, below].map((line) => line?.spanId)).toEqual([undefined, undefined]);
    // Also of a request that express does not serve.
    expect(lines.filter(({ msg }) => msg === 'unexpected error')).toMatchObject([
      { traceId, spanId: expect.any(String) },
    ]);
  });
});
