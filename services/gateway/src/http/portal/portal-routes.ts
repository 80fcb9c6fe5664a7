/** The API of the advertiser portal, under `/portal/api`: JSON both ways, refusals are `{message}`. */
import express, { type RequestHandler, type Router } from 'express';
import { type OffersRoutes, offersRoutes } from './offers-routes.ts';
import { requireSession } from './portal-session.ts';

/** A call that looks at a page, or at what it changed. */
const bodyLimit = '16kb';

export function portalRoutes(o: OffersRoutes): Router {
  const portal = express.Router();
  portal.use(privately);
  portal.use(...requireSession());
  portal.use(offersRoutes(o));
  portal.use(express.json({ limit: bodyLimit, inflate: false }));
  const signedIn: readonly Router[] = [];
  for (const routes of signedIn) portal.use(routes);
  portal.use((_req, res) => void res.status(404).json({ message: 'Not found' }));
  return portal;
}

/** Replies are for one person at one moment. */
const privately: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};
