/** The advertising terms: all people may read them, an admin accepts them for the organisation. */
import {
  type TermsReply,
  type TermsTextReply,
  termsAcceptance,
  termsTextQuery,
} from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { ManagedTerms } from '../../accounts/manage-terms.ts';
import type { TermsOfOrganisation } from '../../accounts/terms-store.ts';
import { refusePerson } from '../replies.ts';
import { allow, changeBy, memberOf } from './portal-session.ts';

export function termsRoutes({ terms }: { terms: ManagedTerms }): Router {
  const routes = express.Router();

  async function termsFor(organisationId: number): Promise<TermsReply> {
    const { latest, earlier } = await terms.readTerms(organisationId);
    return {
      latest:
        latest === null
          ? null
          : { ...replyOf(latest), text: latest.text, holdsFrom: latest.holdsFrom?.toISOString() ?? null },
      earlier: earlier.map(replyOf),
    };
  }

  routes.get('/terms', async (req, res) => {
    res.json(await termsFor(memberOf(req).organisationId));
  });

  routes.get('/terms/text', async (req, res) => {
    const { version } = validInput(termsTextQuery, req.query);
    const outcome = await terms.textOf(version);
    if (!outcome.ok) return refusePerson(res, outcome.reason);
    res.json({ version, text: outcome.value } satisfies TermsTextReply);
  });

  routes.post('/terms/acceptance', allow('terms'), async (req, res) => {
    const { version } = validInput(termsAcceptance, req.body);
    const outcome = await terms.accept(changeBy(req), version);
    if (outcome.ok) return void res.json(await termsFor(memberOf(req).organisationId));
    if (outcome.reason !== 'terms-not-latest') return refusePerson(res, outcome.reason);
    const latest = await terms.latest();
    res
      .status(409)
      .json({ message: `The latest version of the terms is ${latest?.version}: accept that one` });
  });
  return routes;
}

function replyOf(terms: TermsOfOrganisation) {
  const { version, publishedAt, acceptedAt, acceptedBy } = terms;
  return {
    version,
    publishedAt: publishedAt.toISOString(),
    acceptedAt: acceptedAt?.toISOString() ?? null,
    acceptedBy,
  };
}
