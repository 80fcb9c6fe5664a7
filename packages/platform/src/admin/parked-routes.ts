/** Internal admin routes over the parked messages of a service. */
import { parkedPage, parkedSelection } from '@offer-ads/contracts/admin/events-api';
import express from 'express';
import { validInput } from '../http/valid-input.ts';
import type { Broker } from '../messaging/broker/broker.ts';
import type { Logger } from '../telemetry/logging.ts';
import { type AdminGuard, actorOf } from './routes.ts';

/** GET /admin/parked?limit=, POST /admin/parked/replay and /drop with `{"ids": [...]}` or `{"ids": "all"}`. */
export function mountParkedRoutes(
  app: express.Express,
  o: { broker: Pick<Broker, 'parked'>; admin: AdminGuard; logger: Logger },
): void {
  const routes = express.Router();
  routes.use(o.admin(100 * 1024));
  routes.get('/', async (req, res) => {
    const { limit } = validInput(parkedPage, req.query);
    res.json({ parked: await o.broker.parked.list(limit) });
  });
  routes.post('/replay', async (req, res) => {
    const { ids } = validInput(parkedSelection, req.body);
    const replayed = await o.broker.parked.replay(ids);
    o.logger.info({ audit: true, actor: actorOf(req), ids, replayed }, 'parked events replayed');
    res.json({ replayed });
  });
  routes.post('/drop', async (req, res) => {
    const { ids } = validInput(parkedSelection, req.body);
    const dropped = await o.broker.parked.drop(ids);
    o.logger.info({ audit: true, actor: actorOf(req), ids, dropped }, 'parked events dropped');
    res.json({ dropped });
  });
  app.use('/admin/parked', routes);
}
