/** Routes for `npm run admin`: import of members, and the day's rates. */
import { membersCheckRequest, type RatesReply, ratesRefresh } from '@offer-ads/contracts/admin/pricing-api';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Express } from 'express';
import type { Audience } from '../audience/audience.ts';
import { importMembers } from '../members/import-members.ts';
import type { MembersStore } from '../members/members-store.ts';
import type { CachedRates } from '../rates/cached-rates.ts';
import { ratesStanding } from '../rates/rates-standing.ts';
import type { RatesRefresher } from '../rates/refresh-rates.ts';

export function mountAdminRoutes(
  app: Express,
  o: {
    readonly admin: AdminGuard;
    readonly clock: Clock;
    readonly members: MembersStore;
    readonly audience: Pick<Audience, 'includesWritten' | 'check'>;
    readonly rates: CachedRates;
    readonly refresher: Pick<RatesRefresher, 'refreshNow' | 'refused'>;
  },
): void {
  /** Whether an estimate right afterwards includes what was just stored; it stays stored in any case. */
  const counted = () => o.audience.includesWritten().catch(() => false);

  app.post('/admin/members/import', o.admin(null), async (req, res) => {
    // Leaving the loop must not close the connection, because the reply uses it.
    const bytes = req.iterator({ destroyOnReturn: false });
    const outcome = await importMembers({ bytes, now: o.clock.now(), write: o.members.write });
    req.resume();
    const { imported, refused } = outcome;
    if (refused === undefined) return void res.json({ imported, counted: await counted() });
    await counted();
    const message = `line ${refused.line} ${refused.problem}; imported before it: ${imported}`;
    res.status(400).json({ message, imported, line: refused.line });
  });

  app.post('/admin/members/check', o.admin(100 * 1024), async (req, res) => {
    const message = 'There is nothing to compare: MongoDB itself counts the members';
    if (o.audience.check === null) return void res.status(409).json({ message });
    res.json(await o.audience.check(validInput(membersCheckRequest, req.body ?? {})));
  });

  app.get('/admin/rates', o.admin(1024), (_req, res) => {
    const standing = ratesStanding({ cached: o.rates, refused: o.refresher.refused }, o.clock.now());
    res.json(standing satisfies RatesReply);
  });

  app.post('/admin/rates/refresh', o.admin(1024), async (req, res) => {
    const result = await o.refresher.refreshNow(validInput(ratesRefresh, req.body));
    if (!result.ok) {
      // A jump may be right; a person can then accept it.
      const status = result.reason === 'jump' ? 409 : 502;
      return void res.status(status).json({ message: `Rates not refreshed: ${result.problem}` });
    }
    res.json({ date: result.rates.date, currencies: [...result.rates.perEuroE8.keys()].toSorted() });
  });
}
