/** The mail preferences of the signed-in person, for every role: forwarded to the notifier, whose replies are returned unchanged. */
import express, { type RequestHandler, type Router } from 'express';
import { type Forwarding, forwardTo } from './forwarding.ts';
import { requireJson } from './portal-json.ts';

const budgetMs = 2_000;

/** Mounted before the body parsers. */
export function mailRoutes(o: Forwarding): Router {
  const routes = express.Router();
  // Preferences are the same in both modes, but a caller context needs a mode: TEST, which every organisation has.
  const forwarding = (takesBody: boolean) =>
    forwardTo({ audience: 'notifier', takesBody, budgetMs }, 'TEST', o);
  routes
    .route('/mail-preferences')
    .get(toNotifier, forwarding(false))
    .put(requireJson, toNotifier, forwarding(true));
  return routes;
}

const toNotifier: RequestHandler = (req, _res, next) => {
  req.url = '/internal/mail-preferences';
  next();
};
