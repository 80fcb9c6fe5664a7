/** `/livez`, `/readyz` and `/metrics`: for probes and Prometheus, not for API callers. */
import type { Express, Response } from 'express';
import type { Metrics } from '../telemetry/metrics.ts';
import { nameRoute } from './request.ts';

/** The problems that keep the service from working; an empty list means ready. */
export type Readiness = () => Promise<readonly string[]>;

export function healthRoutes(
  app: Express,
  o: {
    readiness: Readiness;
    stopping: () => boolean;
  },
): void {
  const probes: Readonly<Record<string, (res: Response) => unknown>> = {
    '/livez': (res) => res.json({ status: 'alive' }),
    '/readyz': async (res) => {
      const problems = o.stopping() ? ['stopping'] : await problemsOf(o.readiness);
      const ready = problems.length === 0;
      res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', problems });
    },
  };
  // One layer for both, because every request passes through it.
  app.use((req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const probe = isRead ? probes[req.url] : undefined;
    if (probe === undefined) return next();
    nameRoute(req, req.url);
    return probe(res);
  });
}

export function metricsRoute(app: Express, { registry }: Metrics): void {
  app.get('/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  });
}

/** A failed check is reported as a problem, not as an error of the probe. */
async function problemsOf(readiness: Readiness): Promise<readonly string[]> {
  try {
    return await readiness();
  } catch {
    return ['readiness could not be determined'];
  }
}
