/** Internal admin routes over the parked messages of a service. */
import express from 'express';
import { z } from 'zod';
import { requireAdmin } from './admin-routes.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logging.ts';

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
    const query = listing.safeParse(req.query);
    if (!query.success) return void res.status(400).json({ message: `limit must be 1 to ${MOST_LISTED}` });
    res.json({ parked: await o.broker.parked.list(query.data.limit) });
  });
  routes.post('/replay', async (req, res) => {
    const body = selection.safeParse(req.body);
    if (!body.success) return void res.status(400).json({ message: 'ids must be a list of ids or "all"' });
    res.json({ replayed: await o.broker.parked.replay(body.data.ids) });
  });
  routes.post('/drop', async (req, res) => {
    const body = selection.safeParse(req.body);
    if (!body.success) return void res.status(400).json({ message: 'ids must be a list of ids or "all"' });
    res.json({ dropped: await o.broker.parked.drop(body.data.ids) });
  });
  app.use('/admin/parked', routes);
}
