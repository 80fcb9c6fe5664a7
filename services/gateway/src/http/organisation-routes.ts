/** Internal admin routes over organisations, people, quotas and terms. */
import {
  invitation,
  type OrganisationSummary,
  type PeopleReply,
  personNamed,
  quotaChange,
  registration,
  termsVersion,
} from '@offer-ads/contracts/admin-api';
import { validInput } from '@offer-ads/platform/valid-input';
import express, { type Request, type Router } from 'express';
import { firstAdminOf, type Organisation, personByEmail } from '../domain/organisation.ts';
import type { Organisations } from '../manage-organisations.ts';
import { refuse } from './admin-replies.ts';

/** `untilForgotten`: whoever disables is answered when no replica can still let the disabled in (decision 25). */
export function organisationRoutes(o: {
  organisations: Organisations;
  untilForgotten: () => Promise<void>;
}): Router {
  const { organisations } = o;
  const routes = express.Router();

  routes.post('/organisations', async (req, res) => {
    const wish = validInput(registration, req.body);
    res.status(201).json(summaryOf(await organisations.register(wish)));
  });
  routes.get('/organisations', async (_req, res) => {
    res.json({ organisations: (await organisations.list()).map(detailsOf) });
  });
  routes.get('/organisations/:id', async (req, res) => {
    const organisation = await organisations.find(idIn(req));
    if (organisation === null) refuse(res, 'organisation-unknown');
    else res.json(detailsOf(organisation));
  });
  for (const enabled of [false, true]) {
    const verb = enabled ? 'enable' : 'disable';
    routes.post(`/organisations/:id/${verb}`, async (req, res) => {
      const outcome = await organisations.setEnabled(idIn(req), enabled);
      if (!outcome.ok) return refuse(res, outcome.reason);
      await o.untilForgotten();
      res.json(detailsOf(outcome.value));
    });
    routes.post(`/organisations/:id/people/${verb}`, async (req, res) => {
      const wish = validInput(personNamed, req.body);
      const outcome = await organisations.setPersonEnabled(idIn(req), wish.email, enabled);
      if (!outcome.ok) return refuse(res, outcome.reason);
      await o.untilForgotten();
      res.json(personByEmail(outcome.value, wish.email));
    });
  }
  routes.post('/organisations/:id/quota', async (req, res) => {
    const wish = validInput(quotaChange, req.body);
    const { mode, ...limits } = wish;
    const outcome = await organisations.setQuota(idIn(req), mode, limits);
    if (!outcome.ok) return refuse(res, outcome.reason);
    await o.untilForgotten();
    res.json({ organisationId: idIn(req), mode, ...outcome.value });
  });
  routes.get('/organisations/:id/people', async (req, res) => {
    const organisation = await organisations.find(idIn(req));
    if (organisation === null) refuse(res, 'organisation-unknown');
    else res.json({ people: [...organisation.people] } satisfies PeopleReply);
  });
  routes.post('/organisations/:id/people', async (req, res) => {
    const wish = validInput(invitation, req.body);
    const outcome = await organisations.invite(idIn(req), wish);
    if (outcome.ok) res.status(201).json(personByEmail(outcome.value, wish.email));
    else refuse(res, outcome.reason);
  });
  routes.post('/terms', async (req, res) => {
    const wish = validInput(termsVersion, req.body);
    const outcome = await organisations.publishTerms(wish.version);
    if (!outcome.ok) return refuse(res, outcome.reason);
    await o.untilForgotten();
    res.json({ version: outcome.value });
  });
  routes.post('/organisations/:id/accept-terms', async (req, res) => {
    const outcome = await organisations.acceptTerms(idIn(req));
    if (!outcome.ok) return refuse(res, outcome.reason);
    await o.untilForgotten();
    res.json({ organisationId: idIn(req), version: outcome.value });
  });
  return routes;
}

/** Not a number, or none that a row can have: 0, which no organisation is. */
export function idIn(req: Request): number {
  const id = Number(req.params.id);
  return Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : 0;
}

function summaryOf(organisation: Organisation): OrganisationSummary {
  const { id, name, tradingName, country, currency } = organisation;
  return { id, name, tradingName, country, currency, adminEmail: firstAdminOf(organisation)?.email ?? null };
}

function detailsOf(organisation: Organisation) {
  const { enabled, termsAccepted, quotas } = organisation;
  return { ...summaryOf(organisation), enabled, termsAccepted, quotas };
}
