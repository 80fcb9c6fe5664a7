/** POST /offers/price-estimate for advertisers, POST /internal/price for the creation of offers. */
import { priceRequest } from '@offer-ads/contracts/pricing-api';
import { callerOf, requireCaller } from '@offer-ads/platform/caller-context';
import type { Clock } from '@offer-ads/platform/clock';
import type { Door } from '@offer-ads/platform/http-server';
import express, { type ErrorRequestHandler, type Express, type Response } from 'express';
import { priceOffer } from '../price-offer.ts';
import {
  answerEstimate,
  awaitedFacts,
  type EstimateAnswer,
  type EstimateParts,
  MAX_BODY_BYTES,
  unreadableBody,
} from './answer-estimate.ts';
import { estimateDoor, estimatePath } from './estimate-door.ts';
import { priceReply } from './replies.ts';

export function priceRoutes(o: EstimateParts & { readonly contextSecret: string; readonly clock: Clock }): {
  readonly door: Door;
  readonly routes: (app: Express) => void;
} {
  const caller = requireCaller({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  const json = express.json({ limit: MAX_BODY_BYTES });

  const estimate = express.Router();
  estimate.post(estimatePath, caller, json, async (req, res) => {
    send(res, await answerEstimate(o, req, callerOf(req), req.body));
  });
  estimate.use(refuseUnreadableBody);

  function routes(app: Express): void {
    app.use(estimate);
    app.post('/internal/price', caller, json, async (req, res) => {
      const request = priceRequest.safeParse(req.body);
      if (!request.success || request.data.endAt <= request.data.startAt)
        return void res.status(400).json({ message: 'not a price request' });
      const { startAt, endAt, ...target } = request.data;
      const period = { startAt: new Date(startAt), endAt: new Date(endAt) };
      const { currency } = callerOf(req);
      res.json(priceReply(await priceOffer(o, { target, ...period, currency, ...awaitedFacts(req) })));
    });
  }
  return { door: estimateDoor(o), routes };
}

function send(res: Response, { status, body }: EstimateAnswer): void {
  res.status(status).json(body);
}

const refuseUnreadableBody: ErrorRequestHandler = (error, _req, res, next) => {
  if (!isUnreadableBody(error)) return next(error);
  send(res, unreadableBody());
};

/** express' parsers mark what the caller did wrong as fit to be exposed; a type they do not always give. */
function isUnreadableBody(error: unknown): boolean {
  return error instanceof Error && 'expose' in error && error.expose === true;
}
