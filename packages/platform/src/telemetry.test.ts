import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A server that is called once with the request's own trace going on, in a process with the hook loaded. */
const script = `
  import { systemClock } from ${module('./clock.ts')};
  import { startHttpServer } from ${module('./http-server.ts')};
  import { createLogger } from ${module('./logging.ts')};
  import { createMetrics } from ${module('./metrics.ts')};
  await using server = await startHttpServer({
    service: 'offers', host: '127.0.0.1', port: 0, logger: createLogger({ service: 'offers', level: 'info' }),
    metrics: createMetrics('offers'), clock: systemClock, readiness: async () => [],
    routes: (app) => app.get('/', (_req, res) => res.end()),
  });
  await fetch(server.url, { headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } });`;

describe('the telemetry hook', () => {
  it('puts trace ids into logs and lets the process end at once when no collector is named', async () => {
    const startedAt = performance.now();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [
        '--import',
        fileURLToPath(new URL('./telemetry.ts', import.meta.url)),
        '--input-type=module-typescript',
        '--eval',
        script,
      ],
      { env: { PATH: process.env.PATH } },
    );
    expect(stderr).toBe('');
    const request = stdout.split('\n').find((line) => line.includes('"msg":"request"'));
    expect(JSON.parse(request ?? '{}')).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
