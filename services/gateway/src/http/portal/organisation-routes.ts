/**
 * The organisation itself. All its people may read it, because prices, quotas and pages depend on it; its billing details are for those who
 * see invoices.
 */
import {
  type BillingDetailsReply,
  billingDetailsChange,
  type OrganisationReply,
  organisationChange,
  type SpendingLimits,
  spendingLimitsChange,
  timeZoneChange,
} from '@offer-ads/contracts/portal/organisation-api';
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import { checkVatNumber } from '@offer-ads/contracts/values/vat-number';
import { type AuditLog, auditTarget } from '@offer-ads/platform/admin/audit';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import express, { type Request, type Router } from 'express';
import type { Organisations } from '../../accounts/manage-organisations.ts';
import type { Organisation } from '../../domain/accounts/organisation.ts';
import { answerPerson } from '../replies.ts';
import { allow, auditActor, changeBy, memberOf } from './portal-session.ts';

export function organisationRoutes(o: {
  organisations: Organisations;
  audit: Pick<AuditLog, 'recordBy'>;
}): Router {
  const { organisations, audit } = o;
  const routes = express.Router();
  const ownOf = async (req: Request): Promise<Organisation> => {
    const own = await organisations.find(memberOf(req).organisationId);
    if (own === null) throw new Error('the organisation of a signed-in person does not exist');
    return own;
  };

  routes.get('/organisation', async (req, res) => {
    res.json(replyOf(await ownOf(req)));
  });

  routes.patch('/organisation', allow('organisation'), async (req, res) => {
    const { tradingName } = validInput(organisationChange, req.body);
    answerPerson(res, await organisations.setTradingName(changeBy(req), tradingName), replyOf);
  });

  routes.put('/organisation/time-zone', allow('organisation'), async (req, res) => {
    const { timeZone } = validInput(timeZoneChange, req.body);
    answerPerson(res, await organisations.setTimeZone(changeBy(req), timeZone), replyOf);
  });

  routes.get('/organisation/billing-details', allow('billing'), async (req, res) => {
    res.json((await ownOf(req)).billingDetails satisfies BillingDetailsReply);
  });

  routes.put('/organisation/billing-details', allow('billing'), async (req, res) => {
    const wish = validInput(billingDetailsChange, req.body);
    // The country never changes, so this holds when the change has its turn.
    const details = withCheckedVatNumber(wish, (await ownOf(req)).country);
    const outcome = await organisations.setBillingDetails(changeBy(req), details);
    answerPerson(res, outcome, ({ billingDetails }): BillingDetailsReply => billingDetails);
  });

  routes.get('/spending-limits', allow('key-rights'), async (req, res) => {
    res.json((await ownOf(req)).spendingLimits satisfies SpendingLimits);
  });

  routes.put('/spending-limits', allow('key-rights'), audit.recordBy(auditActor), async (req, res) => {
    const { organisationId } = memberOf(req);
    auditTarget(req, { organisationId, target: `organisations/${organisationId}` });
    const wish = validInput(spendingLimitsChange, req.body);
    const outcome = await organisations.setSpendingLimits(changeBy(req), wish);
    answerPerson(res, outcome, (limits): SpendingLimits => limits);
  });
  return routes;
}

function withCheckedVatNumber(wish: BillingDetails, country: string): BillingDetails {
  if (wish.vatNumber === null) return wish;
  const checked = checkVatNumber(wish.vatNumber, country);
  if (checked.ok) return { ...wish, vatNumber: checked.value };
  throw new Fault('wrong form of a VAT number', {
    status: 400,
    publicMessage: `vatNumber: ${checked.message}`,
  });
}

function replyOf(organisation: Organisation): OrganisationReply {
  const { id, name, tradingName, country, currency, quotas, termsAccepted, timeZone } = organisation;
  return {
    id,
    name,
    tradingName,
    country,
    currency,
    registeredAt: organisation.registeredAt.toISOString(),
    quotas,
    termsAccepted,
    termsDueAt: organisation.termsDueAt?.toISOString() ?? null,
    timeZone,
  };
}
