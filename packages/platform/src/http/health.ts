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
    metrics: Metrics;
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
    '/metrics': async (res) =>
      res.type(o.metrics.registry.contentType).send(await o.metrics.registry.metrics()),
  };
  // One layer for all three, because every request passes through it.
  app.use((req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const probe = isRead ? probes[req.url] : undefined;
    if (probe === undefined) return next();
    nameRoute(req, req.url);
    return probe(res);
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
