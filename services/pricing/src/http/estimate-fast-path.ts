/** POST /offers/price-estimate and POST /offer-groups/price-estimate. Served without Express, which would take several times as long as counting and pricing. */
import type { IncomingMessage } from 'node:http';
import type { EstimateReply, Refusal } from '@offer-ads/contracts/public/api';
import type { GroupEstimateReply } from '@offer-ads/contracts/public/groups-api';
import { callerVerifier } from '@offer-ads/platform/calls/caller-context';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import { readJsonBody } from '@offer-ads/platform/http/request-bodies';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import {
  type EstimateRefusal,
  readEstimateForm,
  readGroupForm,
  refusalOfInterests,
} from '../domain/estimate-form.ts';
import type { CachedInterests } from '../members/cached-interests.ts';
import { type PriceParts, priceGroup, priceOffer } from '../price-offer.ts';
import { openQuotes } from '../quotes.ts';
import { estimateReply, groupEstimateReply, refusalReply } from './replies.ts';

type EstimateParts = PriceParts & {
  readonly contextSecret: string;
  readonly clock: Clock;
  readonly interests: Pick<CachedInterests, 'active'>;
};
type Answer = { readonly status: number; readonly body: EstimateReply | GroupEstimateReply | Refusal };

/** Like Express: any case, and an optional slash at the end. */
const ofTheseRoutes = /^\/(offers|offer-groups)\/price-estimate\/?(?:\?|$)/i;
/** A form with every possible interest takes 4 kB. */
const MAX_BODY_BYTES = 65_536;

export function estimateFastPath(o: EstimateParts): FastPath {
  const verify = callerVerifier({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  const quotes = openQuotes(o.contextSecret);

  async function answer(req: IncomingMessage, isGroup: boolean): Promise<Answer> {
    const caller = verify(req);
    const body = await readJsonBody(req, MAX_BODY_BYTES);
    // The specification has one status for every fault of the input.
    if (!body.ok) return refused({ reason: 'invalid-input', faults: [body.message] });
    const { mode, currency } = caller;
    const facts = requestFacts(req);
    const now = facts.receivedAt;
    // Only the start is in the organisation's test time. Rates and the privacy budget are of the real day.
    const testNow = new Date(now.getTime() + (caller.testClockAheadSeconds ?? 0) * 1_000);
    const read = (isGroup ? readGroupForm : readEstimateForm)(body.value, mode, testNow);
    if (!read.ok) return refused(read);
    const { interests } = read.form.target;
    const unknown = interests.length > 0 && refusalOfInterests(interests, o.interests.active());
    if (unknown) return refused(unknown);
    // The request only reads, so it is stopped when the caller disconnects.
    const offer = { ...read.form, caller, now, deadline: facts.deadline().whileAwaited() };
    if ('places' in read) {
      const prices = await priceGroup(o, offer, read.places);
      return { status: 200, body: groupEstimateReply(read.places, prices, currency) };
    }
    const price = await priceOffer(o, offer);
    const quote = read.wantsQuote ? quotes.give({ form: read.form, price, holder: caller, now }) : undefined;
    return { status: 200, body: estimateReply(price, currency, quote) };
  }

  return (req) => {
    const [, of] = (req.method === 'POST' && ofTheseRoutes.exec(req.url ?? '')) || [];
    if (of === undefined) return null;
    const subject = of.toLowerCase();
    nameRoute(req, `/${subject}/price-estimate`);
    return async (res) => {
      const { status, body } = await answer(req, subject === 'offer-groups');
      sendJson(res, status, body);
    };
  };
}

function refused(why: EstimateRefusal): Answer {
  const body = refusalReply(why);
  return { status: body.code, body };
}
