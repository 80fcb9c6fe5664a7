/** The rates simulator: the European Central Bank's daily file, current, stale, broken or unavailable. */
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import express from 'express';
import { z } from 'zod';
import { faultsRoute, listen, type WebServer } from '../web-server.ts';
import { dailyXml } from './daily-xml.ts';
import { latestFixing } from './target-calendar.ts';

/** The same path as on the bank's own site. */
export const ratesPath = '/stats/eurofxref/eurofxref-daily.xml';

const ratesFaults = z.strictObject({
  staleDays: z.int().min(0).max(3650).optional(),
  malformed: z.boolean().optional(),
  down: z.boolean().optional(),
  /** Rates are multiplied by these, by currency: `{ USD: 1.3 }` is a rise of 30 %; a negative factor gives a negative rate. */
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
    // Half of the file, as after a broken transfer.
    res.type('text/xml').send(faults.malformed ? xml.slice(0, xml.length / 2) : xml);
  });
  faultsRoute(app, '/sim/rates', {
    schema: ratesFaults,
    set: (asked) => {
      faults = asked;
    },
  });
  app.get('/livez', (_, res) => res.json({ status: 'ok' }));
  return listen(app, { host: o.host ?? '127.0.0.1', port: o.port ?? 0 });
}
