/** One journey of a buyer: an offer is priced, bought, shown, seen by members, paused, resumed, analysed and mostly deleted. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import type { Broker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { hourMs, inFuture, london, offerForm, unusedAddress } from '../advertiser.ts';
import { paySession, sessionIdIn } from '../simulators.ts';
import type { Buyer, Purchase } from './buyers.ts';
import type { Answer, RetryingCaller } from './retrying-caller.ts';

export type JourneyOptions = {
  readonly gateway: string;
  readonly callUntilAnswered: RetryingCaller;
  /** Publishes as the community platform does. */
  readonly broker: Broker;
  /** Between two requests of a buyer, on average. */
  readonly pauseMs: number;
};

const paidWithinMs = 90_000;
const publishedWithinMs = 90_000;
/** An organisation may have 100 offers at a time. */
const mostKept = 50;

export async function runJourney(o: JourneyOptions, buyer: Buyer, turn: number): Promise<void> {
  const { callUntilAnswered } = o;
  const method = turn % 2 === 0 ? 'B' : 'E';
  const purchase: Purchase = {
    title: `Rolling ${randomUUID().slice(0, 23)}`,
    method,
    paid: false,
    deleted: false,
    views: 0,
    clicks: 0,
  };
  buyer.purchases.push(purchase);

  const call = async (
    route: string,
    path: string,
    init: RequestInit = {},
    expects?: (answer: Answer) => boolean,
  ) => {
    await pause(randomInt(2 * o.pauseMs + 1));
    // Each request has a new client address, because the limit of 60 requests a minute is counted by address.
    const request = () => ({
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        'x-api-key': buyer.key,
        'x-forwarded-for': unusedAddress(),
      },
    });
    return callUntilAnswered(route, o.gateway + path, request, expects);
  };
  const listed = async () => {
    const { body } = await call('GET /offers', '/offers?environment=test&limit=100');
    const data = body.data as readonly { offer_id: number; offer_status: string; image: string }[];
    return data.find(({ offer_id: id }) => id === purchase.offerId);
  };
  /** After a lost reply the work may be done already; the repeated request is then answered with this code. */
  const doneOr = (code: string) => (answer: Answer) =>
    answer.status === 200 &&
    (String(answer.body.return_code).startsWith('S') ||
      (answer.repeated && answer.body.return_code === code));

  const estimate = {
    start_datetime: inFuture(0),
    end_datetime: inFuture(hourMs),
    location: london,
    radius: 10,
  };
  await call(
    'POST /offers/price-estimate',
    '/offers/price-estimate',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(estimate),
    },
    (answer) => answer.status === 200 || isNowInThePast(answer),
  );

  const create = async () => {
    const picture = await photographLikeJpeg({ seed: randomInt(1_000_000) });
    const image = new Blob([new Uint8Array(picture)], { type: 'image/jpeg' });
    const { body } = await call(
      'POST /offers',
      '/offers',
      {
        method: 'POST',
        headers: { 'idempotency-key': randomUUID() },
        body: await offerForm({ title: purchase.title, payment_method: method, image }),
      },
      (answer) =>
        (answer.status === 200 && /^(S.|E2)$/.test(String(answer.body.return_code))) ||
        isNowInThePast(answer),
    );
    return body;
  };
  let created = await create();
  // The model refuses one made-up photograph in some hundreds. A person would send another one.
  for (let tries = 1; /^E[12]$/.test(String(created.return_code)) && tries < 4; tries += 1)
    created = await create();
  purchase.offerId = Number(created.offer_id);
  if (method === 'E') await pay(callUntilAnswered, String(created.payment_url));
  purchase.paid = true;
  const giveUpAt = performance.now() + paidWithinMs;
  let offer = await listed();
  while (offer?.offer_status !== 'Active') {
    if (performance.now() > giveUpAt)
      throw new Error(`${purchase.title} stays ${offer?.offer_status ?? 'unlisted'}`);
    await pause(500);
    offer = await listed();
  }
  await callUntilAnswered('GET /images', offer.image);
  await publishTraffic(o.broker, purchase);

  const path = `/offers/${purchase.offerId}`;
  await call('POST /offers/:id/pause', `${path}/pause`, { method: 'POST' }, doneOr('E3'));
  await call('POST /offers/:id/resume', `${path}/resume`, { method: 'POST' }, doneOr('E4'));
  await call('GET /offers/:id/analytics', `${path}/analytics?interval=24h`);
  // Some offers are kept, so that there is something to list.
  const kept = buyer.purchases.filter(({ deleted }) => !deleted).length;
  if (turn % 8 > 5 && kept < mostKept) return;
  purchase.deleted = true;
  const gone = ({ status, repeated }: Answer) => status === 200 || (repeated && status === 401);
  await call('DELETE /offers/:id', path, { method: 'DELETE' }, gone);
}

/** While nothing answered, the start that was asked for has passed. */
const isNowInThePast = ({ repeated, body }: Answer) =>
  repeated && String(body.message).startsWith('start_datetime must not be more than');

/** Follows the link as a person does, and pays at the card provider, whose webhook reports it to billing. */
async function pay(callUntilAnswered: RetryingCaller, paymentUrl: string): Promise<void> {
  const leadsToSession = ({ body: { location } }: Answer) => sessionIdIn(String(location)) !== undefined;
  const { body } = await callUntilAnswered('GET /pay/:token', paymentUrl, undefined, leadsToSession);
  await paySession(String(body.location));
}

/** Views and clicks by new viewers, so that each of them counts. */
async function publishTraffic(broker: Broker, purchase: Purchase): Promise<void> {
  const offerId = purchase.offerId ?? 0;
  const at = new Date();
  const about = { subject: `offer/${offerId}`, subjectVersion: 0, at };
  const viewers = Array.from({ length: 5 }, () => randomUUID());
  const views = viewers.map((viewer) =>
    newEvent(OfferViewed, { ...about, data: { offerId, viewer, viewedAt: at.toISOString() } }),
  );
  const clicks = viewers
    .slice(3)
    .map((viewer) =>
      newEvent(OfferClicked, { ...about, data: { offerId, viewer, clickedAt: at.toISOString() } }),
    );
  // The same events once more count once.
  await keepTrying(() => broker.publish([...views, ...clicks]), {
    signal: AbortSignal.timeout(publishedWithinMs),
    onFailure: () => {},
  });
  purchase.views += views.length;
  purchase.clicks += clicks.length;
}
