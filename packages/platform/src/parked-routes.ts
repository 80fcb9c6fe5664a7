/** Internal admin routes over the parked messages of a service. */
import { parkedPage, parkedSelection } from '@offer-ads/contracts/admin-api';
import express from 'express';
import { requireAdmin } from './admin-routes.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logging.ts';
import { validInput } from './valid-input.ts';

/** GET /admin/parked?limit=, POST /admin/parked/replay and /drop with `{"ids": [...]}` or `{"ids": "all"}`. */
export function mountParkedRoutes(
  app: express.Express,
  o: { broker: Broker; adminToken: string; logger: Logger },
): void {
  const routes = express.Router();
  routes.use(requireAdmin({ token: o.adminToken, logger: o.logger }), express.json());
  routes.get('/', async (req, res) => {
    const { limit } = validInput(parkedPage, req.query);
    res.json({ parked: await o.broker.parked.list(limit) });
  });
  routes.post('/replay', async (req, res) => {
    const { ids } = validInput(parkedSelection, req.body);
    res.json({ replayed: await o.broker.parked.replay(ids) });
  });
  routes.post('/drop', async (req, res) => {
    const { ids } = validInput(parkedSelection, req.body);
    res.json({ dropped: await o.broker.parked.drop(ids) });
  });
  app.use('/admin/parked', routes);
}
