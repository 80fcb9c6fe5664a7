/** `/livez`, `/readyz` and `/metrics`: for probes and scrapers, not for callers. */
import type { Express, Response } from 'express';
import type { Metrics } from '../telemetry/metrics.ts';
import { nameRoute } from './request.ts';

/** What keeps the service from doing its work; empty means ready. */
export type Readiness = () => Promise<readonly string[]>;

export function healthRoutes(
  app: Express,
  o: { readiness: Readiness; metrics: Metrics; stopping: () => boolean },
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
  // One layer for all three: every request of the service passes it.
  app.use((req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const probe = isRead ? probes[req.url] : undefined;
    if (probe === undefined) return next();
    nameRoute(req, req.url);
    return probe(res);
  });
}

/** A probe that fails is a problem, not a fault of the probe's caller. */
async function problemsOf(readiness: Readiness): Promise<readonly string[]> {
  try {
    return await readiness();
  } catch {
    return ['readiness could not be determined'];
  }
}
