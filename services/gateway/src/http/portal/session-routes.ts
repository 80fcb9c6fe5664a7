/** A person's own sessions: list them, switch the organisation, end them. */
import {
  organisationSwitch,
  type SessionsReply,
  sessionNamed,
} from '@offer-ads/contracts/portal/session-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import { type SessionsAndLimits, signedInOf } from './portal-session.ts';
import { commitDeadline } from './portal-time.ts';
import { describeSession, replyWithSession } from './session-replies.ts';

const notFound = { message: 'Not found' };

export function sessionRoutes(o: SessionsAndLimits): Router {
  const { sessions, cookie } = o;
  const routes = express.Router();

  routes.get('/session', async (req, res) => {
    const reply = await describeSession(sessions, signedInOf(req).session, requestFacts(req).receivedAt);
    if (reply === null) res.status(401).json({ message: 'Sign in first' });
    else res.json(reply);
  });

  routes.post('/session/organisation', async (req, res) => {
    const { organisationId } = validInput(organisationSwitch, req.body);
    const at = requestFacts(req).receivedAt;
    const token = await sessions.switchTo(signedInOf(req), organisationId, at, commitDeadline(req));
    if (token === null) res.status(404).json(notFound);
    else await replyWithSession(res, { sessions, cookie, token, at });
  });

  routes.get('/sessions', async (req, res) => {
    const { session } = signedInOf(req);
    const list = await sessions.list(session.address, requestFacts(req).receivedAt);
    const reply: SessionsReply = {
      sessions: list.map((listed) => ({
        id: listed.id,
        organisation: listed.organisation,
        createdAt: listed.createdAt.toISOString(),
        lastUsedAt: listed.lastUsedAt.toISOString(),
        current: listed.id === session.id,
      })),
    };
    res.json(reply);
  });

  routes.delete('/sessions/:id', async (req, res) => {
    const { session } = signedInOf(req);
    const named = sessionNamed.safeParse(req.params);
    const ended = named.success && (await sessions.end({ id: named.data.id, address: session.address }));
    if (!ended) return void res.status(404).json(notFound);
    if (named.data.id === session.id) cookie.clear(res);
    res.status(204).end();
  });

  routes.post('/sign-out', async (req, res) => {
    const { session } = signedInOf(req);
    await sessions.end({ id: session.id, address: session.address });
    cookie.clear(res);
    res.status(204).end();
  });

  routes.post('/sign-out-everywhere', async (req, res) => {
    await sessions.endAll(signedInOf(req).session.address, commitDeadline(req));
    cookie.clear(res);
    res.status(204).end();
  });
  return routes;
}
