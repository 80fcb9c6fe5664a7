/** Internal admin routes over the parked messages of a service. */
import express from 'express';
import { z } from 'zod';
import { requireAdmin } from './admin-routes.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logging.ts';
import { validInput } from './valid-input.ts';

const MOST_LISTED = 1_000;
const selection = z.object({ ids: z.union([z.literal('all'), z.array(z.string()).min(1)]) });
const listing = z.object({ limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(100) });

/** GET /admin/parked?limit=, POST /admin/parked/replay and /drop with `{"ids": [...]}` or `{"ids": "all"}`. */
export function mountParkedRoutes(
  app: express.Express,
  o: { broker: Broker; adminToken: string; logger: Logger },
): void {
  const routes = express.Router();
  routes.use(requireAdmin({ token: o.adminToken, logger: o.logger }), express.json());
  routes.get('/', async (req, res) => {
    const { limit } = validInput(listing, req.query);
    res.json({ parked: await o.broker.parked.list(limit) });
  });
  routes.post('/replay', async (req, res) => {
    const { ids } = validInput(selection, req.body);
    res.json({ replayed: await o.broker.parked.replay(ids) });
  });
  routes.post('/drop', async (req, res) => {
    const { ids } = validInput(selection, req.body);
    res.json({ dropped: await o.broker.parked.drop(ids) });
  });
  app.use('/admin/parked', routes);
}
