/** An organisation's money in the mode that the path says, for an Admin: asked of billing, whose replies pass as they are. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { RequestHandler, Router } from 'express';
import { inBothModes, type PassOn, passOn } from './pass-on.ts';
import { requireJson } from './portal-json.ts';
import { allow } from './portal-session.ts';

type Call = {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly takesBody: boolean;
  /** From when the body has arrived until the reply must be complete (decision 23, deadlines and outages). */
  readonly budgetMs: number;
  /** In the other mode there is no such path; billing refuses it there too. */
  readonly onlyIn?: Mode;
};

const readingMs = 2_000;
/** Asks the card provider (8 s) and books (2 s). */
const topUpMs = 10_000;
/** Billing gives a PDF five seconds, because the first one of a thread waits for its fonts, and reads before. */
const documentMs = 6_000;

/** Billing has each of them under `/internal` instead of `/billing`. */
const calls: readonly Call[] = [
  { method: 'get', path: '/statement', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/low-balance-threshold', takesBody: false, budgetMs: readingMs },
  { method: 'put', path: '/low-balance-threshold', takesBody: true, budgetMs: readingMs },
  { method: 'post', path: '/top-ups', takesBody: true, budgetMs: topUpMs },
  { method: 'post', path: '/play-money', takesBody: true, budgetMs: readingMs, onlyIn: 'TEST' },
  { method: 'get', path: '/invoices', takesBody: false, budgetMs: readingMs },
  { method: 'get', path: '/invoices/:file', takesBody: false, budgetMs: documentMs },
];

/** Mounted before anything that reads bodies. */
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

/** The query stays. */
function toBilling(prefix: string): RequestHandler {
  return (req, _res, next) => {
    req.url = `/internal${req.url.slice(prefix.length)}`;
    next();
  };
}
