/** `/livez`, `/readyz` and `/metrics`: for probes and scrapers, not for callers. */
import type { Express } from 'express';
import type { Metrics } from './metrics.ts';

/** What keeps the service from doing its work; empty means ready. */
export type Readiness = () => Promise<readonly string[]>;

export function healthRoutes(
  app: Express,
  o: { readiness: Readiness; metrics: Metrics; stopping: () => boolean },
): void {
  app.get('/livez', (_req, res) => {
    res.json({ status: 'alive' });
  });
  app.get('/readyz', async (_req, res) => {
    const problems = o.stopping() ? ['stopping'] : await problemsOf(o.readiness);
    const ready = problems.length === 0;
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', problems });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(o.metrics.registry.contentType).send(await o.metrics.registry.metrics());
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
