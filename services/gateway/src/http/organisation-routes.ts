/** Internal admin routes for organisations, quotas and terms. */

import { switchRequest } from '@offer-ads/contracts/admin/api';
import {
  type NotesReply,
  noteWish,
  type OneOrganisation,
  type OrganisationDetails,
  type OrganisationSummary,
  type OrganisationsReply,
  type OrganisationTermsReply,
  organisationsQuery,
  quotaChange,
  registration,
  type TermsVersionReply,
  type TermsVersionsReply,
  termsVersion,
  withdrawalRequest,
} from '@offer-ads/contracts/admin/gateway-api';
import { spendingLimitsChange } from '@offer-ads/contracts/portal/organisation-api';
import { GREATEST_ID } from '@offer-ads/contracts/values/primitives';
import { auditTarget } from '@offer-ads/platform/admin/audit';
import { actorOf } from '@offer-ads/platform/admin/routes';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { Change } from '../accounts/change-organisation.ts';
import type { ManagedNotes } from '../accounts/manage-notes.ts';
import type { Organisations } from '../accounts/manage-organisations.ts';
import type { ManagedPlaces } from '../accounts/manage-saved-places.ts';
import type { ManagedTerms } from '../accounts/manage-terms.ts';
import { firstAdminOf, type Organisation } from '../domain/accounts/organisation.ts';
import { answerStaff, refuseStaff } from './replies.ts';

export function organisationRoutes(o: {
  organisations: Organisations;
  savedPlaces: ManagedPlaces;
  notes: ManagedNotes;
  terms: ManagedTerms;
}): Router {
  const { organisations, terms } = o;
  const routes = express.Router();
  const onlyOfKnown = ofKnownOrganisation(organisations);

  routes.post('/organisations', async (req, res) => {
    const wish = validInput(registration, req.body);
    const made = await organisations.register(wish, actorOf(req), requestFacts(req).deadline());
    auditTarget(req, { organisationId: made.id, target: `organisations/${made.id}` });
    res.status(201).json(summaryOf(made));
  });
  routes.get('/organisations', async (req, res) => {
    const query = validInput(organisationsQuery, req.query);
    // Reads one more than the page holds, to know whether there are more.
    const found = await organisations.list({ ...query, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    const nextBefore = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
    res.json({ organisations: page.map(detailsOf), nextBefore } satisfies OrganisationsReply);
  });
  routes.get('/organisations/:id', async (req, res) => {
    const organisation = await organisations.find(idIn(req));
    if (organisation === null) refuseStaff(res, 'organisation-unknown');
    else {
      const { billingDetails, spendingLimits } = organisation;
      const savedPlaces = await o.savedPlaces.list(organisation.id);
      res.json({
        ...detailsOf(organisation),
        billingDetails,
        spendingLimits,
        savedPlaces,
      } satisfies OneOrganisation);
    }
  });
  for (const enabled of [false, true]) {
    routes.post(`/organisations/:id/${enabled ? 'enable' : 'disable'}`, async (req, res) => {
      validInput(switchRequest, req.body);
      const outcome = await organisations.setEnabled(changeByStaff(req), enabled);
      answerStaff(res, outcome, { describe: detailsOf });
    });
  }
  routes.post('/organisations/:id/approve', async (req, res) => {
    validInput(switchRequest, req.body);
    const outcome = await organisations.setApproved(changeByStaff(req), { by: actorOf(req) });
    answerStaff(res, outcome, { describe: detailsOf });
  });
  routes.post('/organisations/:id/withdraw-approval', async (req, res) => {
    const decision = validInput(withdrawalRequest, req.body);
    const outcome = await organisations.setApproved(changeByStaff(req), decision);
    answerStaff(res, outcome, { describe: detailsOf });
  });
  routes.post('/organisations/:id/quota', async (req, res) => {
    const { mode, ...wanted } = validInput(quotaChange, req.body);
    const outcome = await organisations.setQuota(changeByStaff(req), mode, wanted);
    answerStaff(res, outcome, { describe: (quota) => ({ organisationId: idIn(req), mode, ...quota }) });
  });
  routes.post('/organisations/:id/spending-limits', async (req, res) => {
    const wish = validInput(spendingLimitsChange, req.body);
    answerStaff(res, await organisations.setSpendingLimits(changeByStaff(req), wish));
  });
  routes.get('/organisations/:id/notes', onlyOfKnown, async (req, res) => {
    res.json({ notes: await o.notes.list(idIn(req)) } satisfies NotesReply);
  });
  routes.post('/organisations/:id/notes/add', async (req, res) => {
    const { text } = validInput(noteWish, req.body);
    answerStaff(res, await o.notes.add(changeByStaff(req), text, actorOf(req)), { status: 201 });
  });
  routes.post('/organisations/:id/notes/:note/delete', async (req, res) => {
    validInput(switchRequest, req.body);
    answerStaff(res, await o.notes.delete(changeByStaff(req), idIn(req, 'note')));
  });
  routes.get('/organisations/:id/terms', onlyOfKnown, async (req, res) => {
    const { latest, earlier } = await terms.readTerms(idIn(req));
    const all = latest === null ? [] : [latest, ...earlier];
    const listed = all.map(({ version, publishedAt, acceptedAt, acceptedBy }) => ({
      version,
      publishedAt: publishedAt.toISOString(),
      acceptedAt: acceptedAt?.toISOString() ?? null,
      acceptedBy,
    }));
    res.json({ terms: listed } satisfies OrganisationTermsReply);
  });
  routes.get('/terms', async (_req, res) => {
    const { versions, organisations, admins } = await terms.listPublished();
    const listed = versions.map(({ id, version, accepted, publishedAt, holdsFrom }) => ({
      id,
      version,
      accepted,
      publishedAt: publishedAt.toISOString(),
      holdsFrom: holdsFrom?.toISOString() ?? null,
    }));
    res.json({ versions: listed, organisations, admins } satisfies TermsVersionsReply);
  });
  routes.get('/terms/:id', async (req, res) => {
    const found = await terms.find(idIn(req));
    if (found === null) return refuseStaff(res, 'terms-unknown');
    const { id, version, text, publishedAt } = found;
    res.json({ id, version, text, publishedAt: publishedAt.toISOString() } satisfies TermsVersionReply);
  });
  routes.post('/terms', async (req, res) => {
    const wish = validInput(termsVersion, req.body);
    const outcome = await terms.publish(wish.version, wish.text, wish.holdsFrom ?? null);
    answerStaff(res, outcome, { describe: (version) => ({ version }) });
  });
  routes.post('/organisations/:id/accept-terms', async (req, res) => {
    const outcome = await terms.accept(changeByStaff(req));
    answerStaff(res, outcome, { describe: (version) => ({ organisationId: idIn(req), version }) });
  });
  return routes;
}

/** An unknown organisation answers 404, so that a mistyped number does not look like an empty list. */
export function ofKnownOrganisation(organisations: Pick<Organisations, 'find'>): RequestHandler {
  return async (req, res, next) => {
    if ((await organisations.find(idIn(req))) === null) refuseStaff(res, 'organisation-unknown');
    else next();
  };
}

/** A change by the platform team. */
export function byStaff(req: Request) {
  return { by: 'platform-team', deadline: requestFacts(req).deadline() } as const;
}

/** The same, of the organisation in the path. */
export function changeByStaff(req: Request): Change {
  return { organisationId: idIn(req), ...byStaff(req) };
}

/** 0, which no row has, if the path contains no valid id. */
export function idIn(req: Request, name = 'id'): number {
  const id = Number(req.params[name]);
  return Number.isInteger(id) && id > 0 && id <= GREATEST_ID ? id : 0;
}

function summaryOf(organisation: Organisation): OrganisationSummary {
  const { id, name, tradingName, country, currency } = organisation;
  return { id, name, tradingName, country, currency, adminEmail: firstAdminOf(organisation)?.email ?? null };
}

function detailsOf(organisation: Organisation): OrganisationDetails {
  const { enabled, approval, withdrawal, termsAccepted, quotas } = organisation;
  return {
    ...summaryOf(organisation),
    enabled,
    approval: approval && { at: approval.at.toISOString(), by: approval.by },
    withdrawal: withdrawal && { at: withdrawal.at.toISOString(), reason: withdrawal.reason },
    termsAccepted,
    quotas,
  };
}
