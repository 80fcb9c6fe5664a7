/** The internal admin route that publishes sent events again. */
import { type RepublishReply, republishRequest } from '@offer-ads/contracts/admin/events-api';
import type { Express } from 'express';
import { validInput } from '../http/valid-input.ts';
import type { Broker } from '../messaging/broker/broker.ts';
import { republish } from '../messaging/sent-events.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { AdminGuard } from './routes.ts';

/** POST /admin/events/republish. The caller repeats it until the reply says 0. */
export function mountRepublishRoute(
  app: Express,
  o: { postgres: Postgres; broker: Pick<Broker, 'types'>; admin: AdminGuard },
): void {
  app.post('/admin/events/republish', o.admin(1024), async (req, res) => {
    const { from, to, upTo } = validInput(republishRequest, req.body);
    const done = await republish(o.postgres, { from, to: to ?? END_OF_TIME, upTo, types: o.broker.types });
    res.json({ republished: done.republished, upTo: `${done.upTo}` } satisfies RepublishReply);
  });
}

/** Without an end, all events are meant. "Now" would miss events of machines whose clocks are ahead. */
const END_OF_TIME = new Date('9999-12-31T00:00:00Z');
