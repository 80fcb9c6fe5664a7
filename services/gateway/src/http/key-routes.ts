/** Internal admin routes over API keys and the call log. */
import { mode } from '@offer-ads/contracts/primitives';
import { validInput } from '@offer-ads/platform/valid-input';
import express, { type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import type { LoggedCall } from '../calls-store.ts';
import type { Keys } from '../manage-keys.ts';
import type { Organisations } from '../manage-organisations.ts';
import { refuse } from './admin-replies.ts';
import { idIn } from './organisation-routes.ts';

const wishForKey = z.object({
  organisationId: z.int().positive(),
  mode: mode.nullable(),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be ISO 8601 with a zone' })
    .transform((text) => new Date(text))
    .nullish()
    .transform((at) => at ?? null),
  personEmail: z.email().optional(),
  name: z.string().trim().min(1).max(100).default('API key'),
});
const paging = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });

export function keyRoutes(o: {
  organisations: Organisations;
  keys: Keys;
  listCalls: (organisationId: number, limit: number) => Promise<LoggedCall[]>;
}): Router {
  const routes = express.Router();
  /** A mistyped number must not pass for an organisation that has nothing to list. */
  const onlyOfKnown: RequestHandler = async (req, res, next) => {
    if ((await o.organisations.find(idIn(req))) === null) refuse(res, 'organisation-unknown');
    else next();
  };

  routes.post('/keys', async (req, res) => {
    const wish = validInput(wishForKey, req.body);
    const outcome = await o.keys.create(wish);
    if (outcome.ok) res.status(201).json(outcome.value);
    else refuse(res, outcome.reason);
  });
  routes.post('/keys/:id/roll', async (req, res) => {
    const outcome = await o.keys.roll(idIn(req));
    if (outcome.ok) res.json(outcome.value);
    else refuse(res, outcome.reason);
  });
  routes.post('/keys/:id/disable', async (req, res) => {
    const outcome = await o.keys.disable(idIn(req));
    if (outcome.ok) res.json(outcome.value);
    else refuse(res, outcome.reason);
  });
  routes.get('/organisations/:id/keys', onlyOfKnown, async (req, res) => {
    res.json({ keys: await o.keys.list(idIn(req)) });
  });
  routes.get('/organisations/:id/calls', onlyOfKnown, async (req, res) => {
    const page = validInput(paging, req.query);
    res.json({ calls: await o.listCalls(idIn(req), page.limit) });
  });
  return routes;
}
