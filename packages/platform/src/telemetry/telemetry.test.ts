import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A process with the hook loaded: a server that says on standard error where it is, and ends after one request. */
const script = `
  import { systemClock } from ${module('../process/clock.ts')};
  import { startHttpServer } from ${module('../http/server.ts')};
  import { createLogger } from ${module('./logging.ts')};
  import { createMetrics } from ${module('./metrics.ts')};
  import http from 'node:http';
  import { json } from 'node:stream/consumers';
  import { calledOutside, restingTrace } from ${module('./traces.ts')};
  const { promise: answered, resolve } = Promise.withResolvers();
  await using server = await startHttpServer({
    host: '127.0.0.1', port: 0, logger: createLogger({ service: 'offers', level: 'info' }),
    metrics: createMetrics('offers'), clock: systemClock, readiness: async () => [],
    routes: (app) => {
      app.get('/links/:token', (_req, res) => res.json(restingTrace()).once('close', resolve));
      app.get('/calls', async (_req, res) => {
        const byFetch = () => fetch(process.env.ECHO).then((reply) => reply.json());
        const byHttp = () => new Promise((done) => http.get(process.env.ECHO, (reply) => done(json(reply))));
        const told = { own: [await byFetch(), await byHttp()] };
        told.others = [await calledOutside(byFetch), await calledOutside(byHttp)];
        res.json(told).once('close', resolve);
      });
    },
  });
  process.stderr.write(server.url);
  await answered;`;

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** That process called once: what it would pass on to others, its log, and how long it lived on after its reply. */
async function callOnce(
  headers: Record<string, string>,
  env: NodeJS.ProcessEnv = {},
  path = '/links/opens-a-door?signature=its-key',
): Promise<{ passedOn: unknown; log: string; lingeredMs: number }> {
  const hook = fileURLToPath(new URL('./telemetry.ts', import.meta.url));
  const args = ['--import', hook, '--input-type=module-typescript', '--eval', script];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  const log = text(child.stdout);
  const ended = once(child, 'close');
  const [url] = await once(child.stderr, 'data');
  const reply = await fetch(`${url}${path}`, { headers });
  const passedOn = await reply.json();
  const answeredAt = performance.now();
  await ended;
  return { passedOn, log: await log, lingeredMs: performance.now() - answeredAt };
}

describe('the telemetry hook', () => {
  it.each([
    ['of its caller', { traceparent }, /^0af7651916cd43dd8448eb211c80319c$/],
    ['of its own', {}, /^(?!0{32})[0-9a-f]{32}$/],
  ])(
    'puts the trace id %s into the log and lets the process end at once when no collector is named',
    async (_whose, headers, traceId) => {
      const { log, lingeredMs } = await callOnce(headers);
      const request = log.split('\n').find((line) => line.includes('"msg":"request"'));
      expect(JSON.parse(request ?? '{}')).toMatchObject({ traceId: expect.stringMatching(traceId) });
      expect(lingeredMs).toBeLessThan(20_000);
    },
  );

  it('passes a caller’s trace on and nothing else that a caller says beside it', async () => {
    const { passedOn } = await callOnce({ traceparent, baggage: 'person=ann%40example.com,door=a-key' });
    expect(passedOn).toEqual({ traceparent: expect.stringContaining(traceparent.slice(3, 35)) });
  });

  it('tells services of the trace that they work for, and hosts of others nothing', async () => {
    const echo = createServer(({ headers }, res) => res.end(JSON.stringify(headers))).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = echo.address() as AddressInfo;
    const { passedOn } = await callOnce({ traceparent }, { ECHO: `http://127.0.0.1:${port}` }, '/calls');
    echo.closeAllConnections();
    echo.close();
    const { own, others } = passedOn as Record<'own' | 'others', object[]>;
    const told = { traceparent: expect.stringContaining(traceparent.slice(3, 35)) };
    expect(own).toEqual([expect.objectContaining(told), expect.objectContaining(told)]);
    expect(others).toHaveLength(2);
    for (const headers of others) expect(headers).not.toHaveProperty('traceparent');
  });

  it('sends spans that name the route, but neither the path and query nor who called', async () => {
    const received: Buffer[] = [];
    const collector = createServer((req, res) => {
      req.on('data', (chunk: Buffer) => received.push(chunk)).on('end', () => res.end());
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    await callOnce({ traceparent }, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    collector.closeAllConnections();
    collector.close();
    // Protocol buffers hold texts as they are.
    const spans = Buffer.concat(received).toString('latin1');
    expect(spans).toContain('/links/:token');
    expect(spans).not.toMatch(/opens-a-door|its-key/);
  });
});
