/** The call log of the organisation's keys (specification, Authentication item 10). */
import { callsQuery } from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { ReadCalls } from '../../call-log/call-log-reader.ts';
import { callPage } from '../call-pages.ts';
import { allow, memberOf } from './portal-session.ts';

export function callRoutes({ readCalls }: { readCalls: ReadCalls }): Router {
  const routes = express.Router();
  routes.get('/calls', allow('calls'), async (req, res) => {
    res.json(await callPage(readCalls, memberOf(req).organisationId, validInput(callsQuery, req.query)));
  });
  return routes;
}
