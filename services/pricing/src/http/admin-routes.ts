/** What `npm run admin` asks of pricing: members in bulk, and the day's rates. */
import { requireAdmin } from '@offer-ads/platform/admin-routes';
import type { Clock } from '@offer-ads/platform/clock';
import type { Logger } from '@offer-ads/platform/logging';
import express, { type Express } from 'express';
import { z } from 'zod';
import { storeGeneratedMembers } from '../generate-members.ts';
import { importMembers } from '../import-members.ts';
import type { MembersStore } from '../members-store.ts';
import type { RatesRefresher } from '../refresh-rates.ts';

const generation = z.object({ count: z.int().min(1).max(100_000_000), seed: z.int().nonnegative() });

export function mountAdminRoutes(
  app: Express,
  o: {
    readonly adminToken: string;
    readonly logger: Logger;
    readonly clock: Clock;
    readonly members: MembersStore;
    readonly refreshRates: RatesRefresher['refreshNow'];
  },
): void {
  const admin = requireAdmin({ token: o.adminToken, logger: o.logger });

  app.post('/admin/members/import', admin, async (req, res) => {
    // Leaving the loop must not take the connection along: the reply goes over it.
    const bytes = req.iterator({ destroyOnReturn: false });
    const outcome = await importMembers({ bytes, now: o.clock.now(), load: o.members.load });
    req.resume();
    if (outcome.refused === undefined) return void res.json(outcome);
    const { imported, refused } = outcome;
    const message = `line ${refused.line} ${refused.problem}; imported before it: ${imported}`;
    res.status(400).json({ message, imported, line: refused.line });
  });

  app.post('/admin/members/generate', admin, express.json(), async (req, res) => {
    const wanted = generation.safeParse(req.body);
    if (!wanted.success) return void res.status(400).json({ message: z.prettifyError(wanted.error) });
    await storeGeneratedMembers({ ...wanted.data, now: o.clock.now(), load: o.members.load });
    res.json({ generated: wanted.data.count });
  });

  app.post('/admin/rates/refresh', admin, async (_req, res) => {
    const result = await o.refreshRates();
    if (!result.ok) return void res.status(502).json({ message: `Rates not refreshed: ${result.problem}` });
    res.json({ date: result.rates.date, currencies: [...result.rates.perEuroE8.keys()].toSorted() });
  });
}
