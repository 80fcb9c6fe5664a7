/** The endpoints of the public API that billing serves, called with the signed caller context: the key's rights, the balance, its statement. */
import type { BalanceReply, EntriesReply, KeyReply } from '@offer-ads/contracts/public/api';
import { amountInJson } from '@offer-ads/contracts/values/currencies';
import { pageLimits } from '@offer-ads/contracts/values/offer-limits';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Express } from 'express';
import { z } from 'zod';
import type { Billing } from '../billing.ts';
import type { Left } from '../domain/payments/spending.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { findStatementPage } from '../statement/read-statement.ts';
import { bookOf, readLeft } from './internal-routes.ts';
import { type EntriesFault, entriesRefusal } from './replies.ts';

/** The same bounds as in GET /offers. A cursor of ours is far shorter than 200 characters. */
const entriesQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(pageLimits.most))
    .default(pageLimits.standard),
  cursor: z.string().max(200).optional(),
});

export function balanceRoutes(app: Express, billing: Billing, contextSecret: string): void {
  const caller = requireCaller({ secret: contextSecret, audience: 'billing', clock: billing.clock });

  app.get('/key', caller, async (req, res) => {
    const context = callerOf(req);
    const { receivedAt } = requestFacts(req);
    const { day, month } = await readLeft(billing, context, receivedAt);
    const amount = (minor: bigint) => amountInJson(minor, context.currency);
    const limit = (left: Left | null, resetsAt: number) =>
      left && {
        limit: amount(left.limitMinor),
        left: amount(left.leftMinor),
        resets_datetime: new Date(resetsAt).toISOString(),
      };
    const [year, monthOfYear] = [receivedAt.getUTCFullYear(), receivedAt.getUTCMonth()];
    res.json({
      environment: context.mode,
      currency: context.currency,
      access: context.spending.access,
      spending_limits: {
        day: limit(day, Date.UTC(year, monthOfYear, receivedAt.getUTCDate() + 1)),
        month: limit(month, Date.UTC(year, monthOfYear + 1)),
      },
    } satisfies KeyReply);
  });

  app.get('/balance', caller, async (req, res) => {
    const book = bookOf(callerOf(req));
    const balance = amountInJson(await balanceOf(billing.postgres, book), book.currency);
    res.json({ environment: book.mode, currency: book.currency, balance } satisfies BalanceReply);
  });

  app.get('/balance/entries', caller, async (req, res) => {
    const query = entriesQuery.safeParse(req.query);
    if (!query.success) {
      const faults = new Set(query.error.issues.map(({ path }) => path[0] as EntriesFault));
      return void res.status(400).json(entriesRefusal([...faults]));
    }
    const { limit, cursor } = query.data;
    const book = bookOf(callerOf(req));
    const page = await findStatementPage(billing.postgres, book, { limit, ...(cursor && { cursor }) });
    if (page === null || cursor === '') return void res.status(400).json(entriesRefusal(['cursor']));
    const amount = (minor: string) => amountInJson(BigInt(minor), book.currency);
    const body: EntriesReply = {
      environment: book.mode,
      currency: book.currency,
      data: page.entries.map((entry) => ({
        booking_datetime: entry.bookedAt,
        kind: entry.kind,
        cause: entry.cause,
        offer_id: entry.offerId,
        title: entry.title,
        amount: amount(entry.amountMinor),
        balance_after: amount(entry.balanceMinor),
        card: entry.card && { net: amount(entry.card.netMinor), vat: amount(entry.card.vatMinor) },
      })),
      pagination: {
        limit,
        count: page.entries.length,
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      },
    };
    res.json(body);
  });
}
