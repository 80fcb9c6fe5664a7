/** Internal admin routes for the people of an organisation, who are identified by their address, and the erasure of a person. */
import {
  invitation,
  type PeopleReply,
  personErasure,
  personNamed,
  roleChange,
} from '@offer-ads/contracts/admin/gateway-api';
import { auditTarget } from '@offer-ads/platform/admin/audit';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { Erasure } from '../accounts/erase-person.ts';
import type { Organisations } from '../accounts/manage-organisations.ts';
import type { People } from '../accounts/manage-people.ts';
import { personOf } from '../domain/accounts/people.ts';
import { changeByStaff, idIn } from './organisation-routes.ts';
import { answerStaff, refuseStaff } from './replies.ts';

export function peopleRoutes(o: {
  organisations: Organisations;
  people: People;
  erasure: Erasure;
  sessions: { readonly endAll: (address: string, deadline: Deadline) => Promise<void> };
}): Router {
  const { organisations, people } = o;
  const routes = express.Router();

  routes.get('/organisations/:id/people', async (req, res) => {
    const organisation = await organisations.find(idIn(req));
    if (organisation === null) refuseStaff(res, 'organisation-unknown');
    else res.json({ people: [...organisation.people] } satisfies PeopleReply);
  });
  routes.post('/organisations/:id/people', async (req, res) => {
    const wish = validInput(invitation, req.body);
    const outcome = await people.invite(changeByStaff(req), wish);
    answerStaff(res, outcome, { status: 201 });
  });
  routes.post('/organisations/:id/people/invitation', async (req, res) => {
    const wish = validInput(personNamed, req.body);
    answerStaff(res, await people.inviteAgain(changeByStaff(req), wish));
  });
  for (const enabled of [false, true]) {
    routes.post(`/organisations/:id/people/${enabled ? 'enable' : 'disable'}`, async (req, res) => {
      const wish = validInput(personNamed, req.body);
      answerStaff(res, await people.change(changeByStaff(req), wish, { enabled }));
    });
  }
  routes.post('/organisations/:id/people/role', async (req, res) => {
    const { role, ...wish } = validInput(roleChange, req.body);
    answerStaff(res, await people.change(changeByStaff(req), wish, { role }));
  });
  /** Ends all sessions of the address, in every organisation: whoever can read its mail can sign in to all of them. */
  routes.post('/organisations/:id/people/end-sessions', async (req, res) => {
    const wish = validInput(personNamed, req.body);
    const organisation = await organisations.find(idIn(req));
    if (organisation === null) return refuseStaff(res, 'organisation-unknown');
    const person = personOf(organisation, wish);
    if (person === undefined) return refuseStaff(res, 'person-unknown');
    await o.sessions.endAll(person.email.toLowerCase(), requestFacts(req).deadline());
    res.json({ organisationId: idIn(req), email: person.email, ended: true });
  });
  routes.post('/people/erase', async (req, res) => {
    const { person, dryRun } = validInput(personErasure, req.body);
    const outcome = await o.erasure.erase(person, dryRun, requestFacts(req).deadline());
    // Numbers only: the log must not keep the address that is erased.
    const ids = outcome.ok ? outcome.value.memberships.map(({ personId }) => personId) : [];
    if (ids.length > 0) auditTarget(req, { target: `people/${ids.join(',')}` });
    answerStaff(res, outcome);
  });
  return routes;
}
