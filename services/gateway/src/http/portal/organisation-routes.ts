/** The organisation itself. All its people may read it, because prices, quotas and pages depend on it. */
import { type OrganisationReply, organisationChange } from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { Organisations } from '../../accounts/manage-organisations.ts';
import type { Organisation } from '../../domain/accounts/organisation.ts';
import { answerPerson, refusePerson } from '../replies.ts';
import { allow, memberOf } from './portal-session.ts';
import { commitDeadline } from './portal-time.ts';

export function organisationRoutes({ organisations }: { organisations: Organisations }): Router {
  const routes = express.Router();

  routes.get('/organisation', async (req, res) => {
    const organisation = await organisations.find(memberOf(req).organisationId);
    if (organisation === null) refusePerson(res, 'organisation-unknown');
    else res.json(replyOf(organisation));
  });

  routes.patch('/organisation', allow('organisation'), async (req, res) => {
    const { tradingName } = validInput(organisationChange, req.body);
    const { organisationId, personId } = memberOf(req);
    const outcome = await organisations.setTradingName(
      organisationId,
      { personId },
      tradingName,
      commitDeadline(req),
    );
    answerPerson(res, outcome, replyOf);
  });
  return routes;
}

function replyOf(organisation: Organisation): OrganisationReply {
  const { id, name, tradingName, country, currency, quotas, termsAccepted } = organisation;
  return { id, name, tradingName, country, currency, quotas, termsAccepted };
}
