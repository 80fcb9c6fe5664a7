/** POST /offers/price-estimate. Served without Express, which would take several times as long as counting and pricing. */
import type { IncomingMessage } from 'node:http';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { EstimateReply, Refusal } from '@offer-ads/contracts/public/api';
import { callerVerifier } from '@offer-ads/platform/calls/caller-context';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import { readJsonBody } from '@offer-ads/platform/http/request-bodies';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { type EstimateRefusal, readEstimateForm, refusalOfInterests } from '../domain/estimate-form.ts';
import type { CachedInterests } from '../members/cached-interests.ts';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { openQuotes } from '../quotes.ts';
import { estimateReply, refusalReply } from './replies.ts';

type EstimateParts = PriceParts & {
  readonly contextSecret: string;
  readonly clock: Clock;
  readonly interests: Pick<CachedInterests, 'active'>;
};
type Answer = { readonly status: number; readonly body: EstimateReply | Refusal };

const path = '/offers/price-estimate';
/** Like Express: any case, and an optional slash at the end. */
const ofThisRoute = /^\/offers\/price-estimate\/?(?:\?|$)/i;
/** A form with every possible interest takes 4 kB. */
const MAX_BODY_BYTES = 65_536;

export function estimateFastPath(o: EstimateParts): FastPath {
  const verify = callerVerifier({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  const quotes = openQuotes(o.contextSecret);

  async function answer(req: IncomingMessage): Promise<Answer> {
    const caller = verify(req);
    const body = await readJsonBody(req, MAX_BODY_BYTES);
    // The specification has one status for every fault of the input.
    if (!body.ok) return refused({ reason: 'invalid-input', faults: [body.message] });
    return answerForm(req, caller, body.value);
  }

  async function answerForm(req: IncomingMessage, caller: CallerContext, body: unknown): Promise<Answer> {
    const { mode, currency } = caller;
    const facts = requestFacts(req);
    const now = facts.receivedAt;
    // Only the start is in the organisation's test time. Rates and the privacy budget are of the real day.
    const testNow = new Date(now.getTime() + (caller.testClockAheadSeconds ?? 0) * 1_000);
    const read = readEstimateForm(body, mode, testNow);
    if (!read.ok) return refused(read);
    const { interests } = read.form.target;
    const unknown = interests.length > 0 && refusalOfInterests(interests, o.interests.active());
    if (unknown) return refused(unknown);
    // The request only reads, so it is stopped when the caller disconnects.
    const deadline = facts.deadline().whileAwaited();
    const price = await priceOffer(o, { ...read.form, caller, now, deadline });
    const quote = read.wantsQuote ? quotes.give({ form: read.form, price, holder: caller, now }) : undefined;
    return { status: 200, body: estimateReply(price, currency, quote) };
  }

  return (req) => {
    if (req.method !== 'POST' || !ofThisRoute.test(req.url ?? '')) return null;
    nameRoute(req, path);
    return async (res) => {
      const { status, body } = await answer(req);
      sendJson(res, status, body);
    };
  };
}

function refused(why: EstimateRefusal): Answer {
  const body = refusalReply(why);
  return { status: body.code, body };
}
