/** For `npm run admin -- payments check`: what offers has stored, and the repair that offers does. */
import {
  type ChargeAgainReply,
  type KnownPayment,
  type knownPayments,
  paymentsPage,
} from '@offer-ads/contracts/internal/payments-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import type { z } from 'zod';
import type { OffersContext } from '../context.ts';
import { unusedTime } from '../domain/lifecycle/unused-time.ts';
import type { Offer } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { findOfferForAdmin, findTogether, pageOfOffers, paidTogether } from '../offers-store.ts';
import { systemCallContext } from '../other-services.ts';
import { offerTimeOf } from '../test-clock/test-clock-store.ts';
import { adminReplies, send } from './replies.ts';

export function paymentRoutes(routes: Router, o: OffersContext): void {
  routes.get('/payments', async (req, res) => {
    const { receivedAt } = requestFacts(req);
    const offers = await pageOfOffers(o.postgres, validInput(paymentsPage, req.query));
    const timeOf = await offerTimeOf(o.postgres, offers);
    const payments = offers.map((offer) => toKnownPayment(offer, timeOf(offer, receivedAt)));
    res.json({ payments } satisfies z.infer<typeof knownPayments>);
  });

  // Repairs an offer whose charge billing lost because billing was restored to an earlier state. Billing charges an offer id only once, so
  // repeats are harmless.
  routes.post('/payments/:offer_id/charge', async (req, res) => {
    const offer = await findOfferForAdmin(o.postgres, parseId(req.params.offer_id) ?? 0);
    if (offer === null) return send(res, adminReplies['not-found']);
    if (offer.paymentMethod !== 'B') return send(res, adminReplies['not-from-balance']);
    // Of a group, all at once.
    const others = (await findTogether(o.postgres, paidTogether(offer))).filter(
      ({ offerId }) => offerId !== offer.offerId,
    );
    const call = systemCallContext(offer, requestFacts(req).requestId);
    const charged = await o.otherServices.charge(call, [offer, ...others]);
    const outcome = charged.outcome === 'charged' ? charged.outcome : charged.reason;
    res.json({ offerId: offer.offerId, outcome } satisfies ChargeAgainReply);
  });
}

function toKnownPayment(offer: Offer, now: Date): KnownPayment {
  return {
    offerId: offer.offerId,
    organisationId: offer.organisationId,
    mode: offer.mode,
    currency: offer.currency,
    netMinor: offer.netMinor.toString(),
    paymentMethod: offer.paymentMethod,
    paid: offer.paymentAppliedAt !== null,
    shown: offer.shownAt !== null,
    over: offer.deletedAt !== null || offer.endAnnouncedAt !== null,
    ...unusedTime(offer, now),
  };
}
