/** Billing routes for an organisation's Admins, in the mode of the path: forwarded to billing, whose replies are returned unchanged. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { RequestHandler, Router } from 'express';
import { type Forwarding, forwardTo, inBothModes } from './forwarding.ts';
import { requireJson } from './portal-json.ts';
import { allow } from './portal-session.ts';

type Call = {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly takesBody: boolean;
  /** The time from the arrival of the whole body to the complete reply (decision 23, deadlines and outages). */
  readonly budgetMs: number;
  /** In the other mode the path does not exist; billing refuses it there too. */
  readonly onlyIn?: Mode;
};

const readingMs = 2_000;
/** Billing stores the top-up (2 s) and opens its payment page at the card provider (8 s). */
const topUpMs = 10_000;
/** Billing allows five seconds for a PDF, because a thread's first PDF loads the fonts, and needs some time to read the data. */
const documentMs = 6_000;

/** Up to 10,000 bookings are read for a file. */
const exportMs = 8_000;

/** Billing serves each of them under `/internal`, without `/billing`. */
const calls: readonly Call[] = [
  { method: 'get', path: '/balance', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/billing/statement', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/billing/statement.csv', takesBody: false, budgetMs: exportMs },
  { method: 'get', path: '/billing/low-balance-threshold', takesBody: false, budgetMs: readingMs },
  { method: 'put', path: '/billing/low-balance-threshold', takesBody: true, budgetMs: readingMs },
  { method: 'post', path: '/billing/top-ups', takesBody: true, budgetMs: topUpMs },
  { method: 'post', path: '/billing/play-money', takesBody: true, budgetMs: readingMs, onlyIn: 'TEST' },
  { method: 'get', path: '/billing/invoices', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/billing/invoices/:file', takesBody: false, budgetMs: documentMs },
];

/** Mounted before the body parsers. */
export function billingRoutes(o: Forwarding): Router {
  return inBothModes((routes, mode) => {
    for (const call of calls.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === mode))
      routes[call.method](
        call.path,
        allow('billing'),
        requireJson,
        toBilling,
        forwardTo({ ...call, audience: 'billing' }, mode, o),
      );
  });
}

/** The query string is kept. */
const toBilling: RequestHandler = (req, _res, next) => {
  req.url = `/internal${req.url.replace(/^\/billing\//, '/')}`;
  next();
};
