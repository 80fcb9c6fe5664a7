/** Internal admin routes for placement keys and their call log. */
import {
  callLogPage,
  placementKeyDisabling,
  placementKeyLimit,
  placementKeyRoll,
  placementKeyWish,
} from '@offer-ads/contracts/admin/gateway-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { ReadCalls } from '../call-log/call-log-reader.ts';
import { communityPlatform } from '../call-log/calls-store.ts';
import type { ManagedPlacementKeys } from '../keys/manage-placement-keys.ts';
import { callPage } from './call-pages.ts';
import { idIn } from './organisation-routes.ts';
import { answerStaff } from './replies.ts';

export function placementKeyRoutes(o: {
  readonly placementKeyring: ManagedPlacementKeys;
  readonly readCalls: ReadCalls;
}): Router {
  const routes = express.Router();
  const { placementKeyring: keys } = o;

  routes.get('/placement-keys', async (_req, res) => {
    res.json({ keys: await keys.list() });
  });
  routes.post('/placement-keys', async (req, res) => {
    const wish = validInput(placementKeyWish, req.body);
    answerStaff(res, await keys.create(wish, requestFacts(req).deadline()), { status: 201 });
  });
  routes.post('/placement-keys/:id/roll', async (req, res) => {
    const { overlapHours } = validInput(placementKeyRoll, req.body ?? {});
    answerStaff(res, await keys.roll(idIn(req), { overlapHours }, requestFacts(req).deadline()));
  });
  routes.post('/placement-keys/:id/disable', async (req, res) => {
    validInput(placementKeyDisabling, req.body ?? {});
    answerStaff(res, await keys.disable(idIn(req), requestFacts(req).deadline()));
  });
  routes.post('/placement-keys/:id/limit', async (req, res) => {
    const { requestsPerMinute } = validInput(placementKeyLimit, req.body);
    answerStaff(res, await keys.setLimit(idIn(req), requestsPerMinute, requestFacts(req).deadline()));
  });
  routes.get('/placement-keys/calls', async (req, res) => {
    res.json(await callPage(o.readCalls, communityPlatform, validInput(callLogPage, req.query)));
  });
  return routes;
}
