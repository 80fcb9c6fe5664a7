/** POST /internal/price, for the creation of offers. */
import { priceRequest } from '@offer-ads/contracts/internal/pricing-api';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Clock } from '@offer-ads/platform/process/clock';
import express, { type Express } from 'express';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { priceReply } from './replies.ts';

export function mountPriceRoutes(
  app: Express,
  o: PriceParts & { readonly contextSecret: string; readonly clock: Clock },
): void {
  const caller = requireCaller({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  app.post('/internal/price', caller, express.json(), async (req, res) => {
    const request = priceRequest.safeParse(req.body);
    if (!request.success || request.data.endAt <= request.data.startAt)
      return void res.status(400).json({ message: 'not a price request' });
    const { startAt, endAt, ...target } = request.data;
    const facts = requestFacts(req);
    const offer = {
      target,
      startAt: new Date(startAt),
      endAt: new Date(endAt),
      caller: callerOf(req),
      now: facts.receivedAt,
      // The request only reads, so it is stopped when the caller disconnects.
      deadline: facts.deadline().whileAwaited(),
    };
    res.json(priceReply(await priceOffer(o, offer)));
  });
}
