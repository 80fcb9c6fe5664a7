/** POST /internal/price, /internal/group-prices and /internal/quoted-price, for the creation of offers. */
import {
  type GroupPricesReply,
  groupPricesRequest,
  type PriceRequest,
  priceRequest,
  quotedPriceRequest,
} from '@offer-ads/contracts/internal/pricing-api';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Express, Request } from 'express';
import type { EstimateForm } from '../domain/estimate-form.ts';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { openQuotes } from '../quotes.ts';
import { priceReply, quotedPriceReply } from './replies.ts';

/** A price request with every possible interest takes 4 kB; a group has 20. */
const body = jsonBody({ maxBytes: 128 * 1024 });

export function mountPriceRoutes(
  app: Express,
  o: PriceParts & { readonly contextSecret: string; readonly clock: Clock },
): void {
  const quotes = openQuotes(o.contextSecret);
  const caller = requireCaller({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });
  const offerOf = (req: Request, form: EstimateForm) => {
    const facts = requestFacts(req);
    // The request only reads, so it is stopped when the caller disconnects.
    const deadline = facts.deadline().whileAwaited();
    return { ...form, caller: callerOf(req), now: facts.receivedAt, deadline };
  };
  app.post('/internal/price', caller, body, async (req, res) => {
    const request = priceRequest.safeParse(req.body);
    if (!request.success || request.data.endAt <= request.data.startAt)
      return void res.status(400).json({ message: 'not a price request' });
    res.json(priceReply(await priceOffer(o, offerOf(req, formOf(request.data)))));
  });
  app.post('/internal/group-prices', caller, body, async (req, res) => {
    const request = groupPricesRequest.safeParse(req.body);
    if (!request.success || request.data.offers.some(({ startAt, endAt }) => endAt <= startAt))
      return void res.status(400).json({ message: 'not a request for the prices of a group' });
    const prices = await Promise.all(
      request.data.offers.map(async (offer) => {
        const asked = offerOf(req, formOf(offer));
        const price = await priceOffer(o, asked);
        const { caller: holder, now } = asked;
        const quoteId = quotes.give({ form: asked, price, holder, now })?.quoteId ?? null;
        return Object.assign(priceReply(price), { quoteId });
      }),
    );
    res.json({ prices } satisfies GroupPricesReply);
  });

  // Members are not counted: a price that holds tells nothing new, so it costs no privacy budget.
  app.post('/internal/quoted-price', caller, body, (req, res) => {
    const request = quotedPriceRequest.safeParse(req.body);
    if (!request.success) return void res.status(400).json({ message: 'not a request for a quoted price' });
    const { quoteId, receivedAt, ...offer } = request.data;
    const holder = callerOf(req);
    const asked = { quoteId, form: formOf(offer), holder, receivedAt: new Date(receivedAt) };
    res.json(quotedPriceReply(quotes.redeem(asked)));
  });
}

function formOf({ startAt, endAt, ...target }: PriceRequest): EstimateForm {
  return { target, startAt: new Date(startAt), endAt: new Date(endAt) };
}
