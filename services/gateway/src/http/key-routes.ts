/** Internal admin routes for API keys and the call log. */
import { callLogPage, keyLimit, keyWish } from '@offer-ads/contracts/admin/gateway-api';
import { keyRightsChange } from '@offer-ads/contracts/values/key-rights';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { Organisations } from '../accounts/manage-organisations.ts';
import type { ReadCalls } from '../call-log/call-log-reader.ts';
import type { Keys } from '../keys/manage-keys.ts';
import { callPage } from './call-pages.ts';
import { byStaff, idIn, ofKnownOrganisation } from './organisation-routes.ts';
import { answerStaff } from './replies.ts';

export function keyRoutes(o: { organisations: Organisations; keys: Keys; readCalls: ReadCalls }): Router {
  const routes = express.Router();
  const onlyOfKnown = ofKnownOrganisation(o.organisations);

  routes.post('/keys', async (req, res) => {
    const { organisationId, ...wish } = validInput(keyWish, req.body);
    answerStaff(res, await o.keys.create({ organisationId, ...byStaff(req) }, wish), { status: 201 });
  });
  routes.post('/keys/:id/roll', async (req, res) => {
    answerStaff(res, await o.keys.roll({ id: idIn(req), ...byStaff(req) }));
  });
  routes.post('/keys/:id/disable', async (req, res) => {
    answerStaff(res, await o.keys.disable({ id: idIn(req), ...byStaff(req) }));
  });
  routes.post('/keys/:id/limit', async (req, res) => {
    const { requestsPerMinute } = validInput(keyLimit, req.body);
    answerStaff(res, await o.keys.setLimit({ id: idIn(req), ...byStaff(req) }, requestsPerMinute));
  });
  routes.post('/keys/:id/rights', async (req, res) => {
    const changed = validInput(keyRightsChange, req.body);
    answerStaff(res, await o.keys.setRights({ id: idIn(req), ...byStaff(req) }, changed));
  });
  routes.get('/organisations/:id/keys', onlyOfKnown, async (req, res) => {
    res.json({ keys: await o.keys.list(idIn(req)) });
  });
  routes.get('/organisations/:id/calls', onlyOfKnown, async (req, res) => {
    res.json(await callPage(o.readCalls, idIn(req), validInput(callLogPage, req.query)));
  });
  return routes;
}
