/** POST /offers/price-estimate for advertisers, POST /internal/price for the creation of offers. */
import { priceRequest } from '@offer-ads/contracts/pricing-api';
import { callerOf, requireCaller } from '@offer-ads/platform/caller-context';
import type { Clock } from '@offer-ads/platform/clock';
import { requestFacts } from '@offer-ads/platform/http-request';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { type EstimateRefusal, readEstimateForm, refusalOfInterests } from '../domain/estimate-form.ts';
import type { HeldInterests } from '../held-interests.ts';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { estimateReply, priceReply, refusalReply } from './replies.ts';

/** A form with every interest there may be takes 4 kB. */
const MAX_BODY_BYTES = 65_536;

export function mountPriceRoutes(
  app: Express,
  o: PriceParts & {
    readonly contextSecret: string;
    readonly clock: Clock;
    readonly interests: Pick<HeldInterests, 'active'>;
  },
): void {
  const caller = requireCaller({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  const json = express.json({ limit: MAX_BODY_BYTES });

  const routes = express.Router();
  routes.post('/offers/price-estimate', caller, json, async (req, res) => {
    const { mode, currency } = callerOf(req);
    const { receivedAt: now, deadline } = awaitedFacts(req);
    const read = readEstimateForm(req.body, mode, now);
    if (!read.ok) return refuse(res, read.refusal);
    const { interests } = read.form.target;
    const unknown = interests.length > 0 && refusalOfInterests(interests, o.interests.active());
    if (unknown) return refuse(res, unknown);
    res.json(estimateReply(await priceOffer(o, { ...read.form, currency, now, deadline }), currency));
  });
  routes.use(refuseUnreadableBody);
  app.use(routes);

  app.post('/internal/price', caller, json, async (req, res) => {
    const request = priceRequest.safeParse(req.body);
    if (!request.success || request.data.endAt <= request.data.startAt)
      return void res.status(400).json({ message: 'not a price request' });
    const { startAt, endAt, ...target } = request.data;
    const { receivedAt: now, deadline } = awaitedFacts(req);
    const offer = {
      target,
      startAt: new Date(startAt),
      endAt: new Date(endAt),
      currency: callerOf(req).currency,
      now,
      deadline,
    };
    res.json(priceReply(await priceOffer(o, offer)));
  });
}

/** Pricing only reads: whoever leaves needs nothing of it any more. */
function awaitedFacts(req: Request) {
  const facts = requestFacts(req);
  return { receivedAt: facts.receivedAt, deadline: facts.deadline().whileAwaited() };
}

function refuse(res: Response, refusal: EstimateRefusal): void {
  const body = refusalReply(refusal);
  res.status(body.code).json(body);
}

/** A body that express cannot read is invalid input (`E1`), whatever is wrong with it. */
const refuseUnreadableBody: ErrorRequestHandler = (error, _req, res, next) => {
  if (!isUnreadableBody(error)) return next(error);
  refuse(res, {
    reason: 'invalid-input',
    faults: [`The body must be a JSON object of at most ${MAX_BODY_BYTES} bytes`],
  });
};

/** express' parsers mark what the caller did wrong as fit to be exposed; a type they do not always give. */
function isUnreadableBody(error: unknown): boolean {
  return error instanceof Error && 'expose' in error && error.expose === true;
}
