/** Internal admin routes over the parked messages of a service. */
import { parkedPage, parkedSelection } from '@offer-ads/contracts/admin/events-api';
import express from 'express';
import { validInput } from '../http/valid-input.ts';
import type { Broker } from '../messaging/broker/broker.ts';
import type { AdminGuard } from './routes.ts';

/** GET /admin/parked?limit=, POST /admin/parked/replay and /drop with `{"ids": [...]}` or `{"ids": "all"}`. */
export function mountParkedRoutes(
  app: express.Express,
  o: { broker: Pick<Broker, 'parked'>; admin: AdminGuard },
): void {
  const routes = express.Router();
  routes.use(o.admin(100 * 1024));
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
