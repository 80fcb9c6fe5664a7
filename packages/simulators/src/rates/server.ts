/** The rates simulator: the European Central Bank's daily file, as it is, stale, broken or away. */
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import express from 'express';
import { z } from 'zod';
import { listen, type WebServer } from '../web-server.ts';
import { dailyXml } from './daily-xml.ts';
import { latestFixing } from './target-calendar.ts';

/** The same path as on the bank's own site. */
export const ratesPath = '/stats/eurofxref/eurofxref-daily.xml';

const ratesFaults = z.strictObject({
  staleDays: z.int().min(0).max(3650).optional(),
  malformed: z.boolean().optional(),
  down: z.boolean().optional(),
  /** What rates are multiplied with, by currency: `{ USD: 1.3 }` is a jump by 30 %, a negative one a negative rate. */
  factors: z.record(z.string(), z.number()).optional(),
});

export async function startRatesSimulator(
  o: { host?: string; port?: number; clock?: Clock } = {},
): Promise<WebServer> {
  const clock = o.clock ?? systemClock;
  let faults: z.infer<typeof ratesFaults> = {};

  const app = express();
  app.disable('x-powered-by');
  app.get(ratesPath, (_, res) => {
    if (faults.down) {
      res.status(503).send('Service Unavailable');
      return;
    }
    const xml = dailyXml(latestFixing(clock.now(), faults.staleDays), faults.factors);
    // Cut in the middle, as a broken transfer leaves it.
    res.type('text/xml').send(faults.malformed ? xml.slice(0, xml.length / 2) : xml);
  });
  app.post('/sim/rates', express.json(), (req, res) => {
    const asked = ratesFaults.safeParse(req.body ?? {});
    if (asked.success) {
      faults = asked.data;
      res.json(faults);
    } else {
      res.status(400).json({ message: asked.error.issues.map((issue) => issue.message).join('; ') });
    }
  });
  app.get('/livez', (_, res) => res.json({ status: 'ok' }));
  return listen(app, { host: o.host ?? '127.0.0.1', port: o.port ?? 0 });
}
