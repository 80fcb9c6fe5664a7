/** Billing routes for an organisation's Admins, in the mode of the path: forwarded to billing, whose replies are returned unchanged. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { RequestHandler, Router } from 'express';
import { inBothModes, type PassOn, passOn } from './pass-on.ts';
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
/** Billing calls the card provider (8 s) and books (2 s). */
const topUpMs = 10_000;
/** Billing allows five seconds for a PDF, because a thread's first PDF loads the fonts, and needs some time to read the data. */
const documentMs = 6_000;

/** Billing serves each of them under `/internal` instead of `/billing`. */
const calls: readonly Call[] = [
  { method: 'get', path: '/statement', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/low-balance-threshold', takesBody: false, budgetMs: readingMs },
  { method: 'put', path: '/low-balance-threshold', takesBody: true, budgetMs: readingMs },
  { method: 'post', path: '/top-ups', takesBody: true, budgetMs: topUpMs },
  { method: 'post', path: '/play-money', takesBody: true, budgetMs: readingMs, onlyIn: 'TEST' },
  { method: 'get', path: '/invoices', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/invoices/:file', takesBody: false, budgetMs: documentMs },
];

/** Mounted before the body parsers. */
export function billingRoutes(o: PassOn): Router {
  return inBothModes((routes, mode) => {
    const ask = (call: Pick<Call, 'takesBody' | 'budgetMs'>) =>
      passOn({ ...call, audience: 'billing' }, mode, o);
    const reading = { takesBody: false, budgetMs: readingMs };
    routes.get('/balance', allow('billing'), toBilling(''), ask(reading));
    for (const call of calls.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === mode))
      routes[call.method](
        `/billing${call.path}`,
        allow('billing'),
        requireJson,
        toBilling('/billing'),
        ask(call),
      );
  });
}

/** The query string is kept. */
function toBilling(prefix: string): RequestHandler {
  return (req, _res, next) => {
    req.url = `/internal${req.url.slice(prefix.length)}`;
    next();
  };
}
