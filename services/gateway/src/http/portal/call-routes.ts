/** The call log of the organisation's keys (specification, Authentication item 10). */
import { type CallsReply, callsQuery } from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { ReadCalls } from '../../call-log/call-log-reader.ts';
import { type ErrorHelp, entryFor } from '../../public-api/error-help.ts';
import { callPage } from '../call-pages.ts';
import { allow, memberOf } from './portal-session.ts';

export function callRoutes({ readCalls, errorHelp }: { readCalls: ReadCalls; errorHelp: ErrorHelp }): Router {
  const routes = express.Router();
  routes.get('/calls', allow('calls'), async (req, res) => {
    const page = await callPage(readCalls, memberOf(req).organisationId, validInput(callsQuery, req.query));
    const calls = page.calls.map((call) => ({ ...call, guideEntry: entryFor(errorHelp, call) }));
    res.json({ ...page, calls } satisfies CallsReply);
  });
  return routes;
}
