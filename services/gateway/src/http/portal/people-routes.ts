/** The people of the organisation, for its admins, and who changed its offers. */
import {
  type AuthorsReply,
  authorsQuery,
  type PeopleOfOrganisation,
  type PortalPerson,
  personChange,
  personInvitation,
} from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Request, type Response, type Router } from 'express';
import type { People, PersonOutcome } from '../../accounts/manage-people.ts';
import type { PersonRecord } from '../../accounts/people-store.ts';
import { idIn } from '../organisation-routes.ts';
import { refusePerson } from '../replies.ts';
import { allow, changeBy, memberOf } from './portal-session.ts';

export function peopleRoutes({ people }: { people: People }): Router {
  const routes = express.Router();

  async function reply(req: Request, res: Response, outcome: PersonOutcome, status = 200): Promise<void> {
    if (!outcome.ok) return refusePerson(res, outcome.reason);
    const all = await people.list(memberOf(req).organisationId);
    const person = all.find(({ id }) => id === outcome.value.id);
    if (person === undefined) throw new Error('the person disappeared within the transaction');
    res.status(status).json(replyOf(person));
  }

  routes.get('/people', allow('people'), async (req, res) => {
    const all = await people.list(memberOf(req).organisationId);
    res.json({ people: all.map(replyOf) } satisfies PeopleOfOrganisation);
  });

  routes.get('/authors', allow('view-offers'), async (req, res) => {
    const { people: personIds = [], keys: keyIds = [] } = validInput(authorsQuery, req.query);
    const { organisationId } = memberOf(req);
    res.json((await people.authors({ organisationId, personIds, keyIds })) satisfies AuthorsReply);
  });

  routes.post('/people', allow('people'), async (req, res) => {
    const wish = validInput(personInvitation, req.body);
    await reply(req, res, await people.invite(changeBy(req), wish), 201);
  });

  routes.patch('/people/:id', allow('people'), async (req, res) => {
    const change = validInput(personChange, req.body);
    await reply(req, res, await people.change(changeBy(req), { id: idIn(req) }, change));
  });

  routes.post('/people/:id/invitation', allow('people'), async (req, res) => {
    await reply(req, res, await people.inviteAgain(changeBy(req), { id: idIn(req) }));
  });
  return routes;
}

function replyOf(person: PersonRecord): PortalPerson {
  return {
    id: person.id,
    email: person.email,
    role: person.role,
    enabled: person.enabled,
    invitedAt: person.invitedAt.toISOString(),
    invitedBy: person.invitedBy,
    lastSignedInAt: person.lastSignedInAt?.toISOString() ?? null,
    keysInForce: person.keysInForce,
  };
}
