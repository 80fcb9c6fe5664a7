/** What the demo does, once: an offer is priced, bought, shown, seen by members, paused, resumed, looked at and mostly deleted. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { toForm } from '@offer-ads/dev/demo/advertiser';
import type { Broker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unusedAddress } from '../harness/advertiser.ts';
import type { Advertiser, Purchase } from './advertisers.ts';
import type { Answer, Insisting } from './insisting.ts';

export type World = {
  readonly gateway: string;
  readonly insist: Insisting;
  /** As the community platform. */
  readonly broker: Broker;
  readonly pauseMs: number;
};

const hourMs = 60 * 60 * 1000;
const paidWithinMs = 90_000;

export async function travel(world: World, advertiser: Advertiser, turn: number): Promise<void> {
  const { gateway, insist } = world;
  const method = turn % 2 === 0 ? 'B' : 'E';
  const purchase: Purchase = {
    title: `Rolling ${randomUUID().slice(0, 23)}`,
    method,
    paid: false,
    deleted: false,
    views: 0,
    clicks: 0,
  };
  advertiser.purchases.push(purchase);
  const startAt = new Date();
  const expiryAt = new Date(startAt.getTime() + hourMs);

  const call = async (
    route: string,
    path: string,
    init: (headers: Record<string, string>) => RequestInit = (headers) => ({ headers }),
    expects?: (answer: Answer) => boolean,
  ) => {
    await pause(randomInt(2 * world.pauseMs + 1));
    // The 60 requests a minute are counted by address.
    const headers = () => ({ 'x-api-key': advertiser.key, 'x-forwarded-for': unusedAddress() });
    return insist(route, gateway + path, () => init(headers()), expects);
  };
  const listed = async () => {
    const { body } = await call('GET /offers', '/offers?environment=test&limit=100');
    const data = body.data as readonly { offer_id: number; offer_status: string; image: string }[];
    return data.find(({ offer_id: id }) => id === purchase.offerId);
  };
  /** Repeated after a lost answer, the work may be done already, which is then what the reply says. */
  const doneOr = (code: string) => (answer: Answer) =>
    answer.status === 200 &&
    (String(answer.body.return_code).startsWith('S') ||
      (answer.repeated && answer.body.return_code === code));

  await call('POST /offers/price-estimate', '/offers/price-estimate', (headers) => ({
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      start_datetime: startAt.toISOString(),
      end_datetime: expiryAt.toISOString(),
      location: [51.5074, -0.1278],
      radius: 10,
    }),
  }));

  const create = async () => {
    const form = toForm({
      title: purchase.title,
      categoryId: 1,
      interestIds: [],
      startAt,
      expiryAt,
      paymentMethod: method,
      image: await photographLikeJpeg({ seed: randomInt(1_000_000) }),
    });
    const idempotencyKey = randomUUID();
    const { body } = await call(
      'POST /offers',
      '/offers',
      (headers) => ({
        method: 'POST',
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        body: form,
      }),
      ({ status, body }) => status === 200 && /^(S.|E2)$/.test(String(body.return_code)),
    );
    return body;
  };
  let created = await create();
  // The model refuses one made-up photograph in some hundreds. A person would send another one.
  for (let tries = 1; created.return_code === 'E2' && tries < 4; tries += 1) created = await create();
  purchase.offerId = Number(created.offer_id);
  if (method === 'E') await pay(insist, String(created.payment_url));
  purchase.paid = true;
  const giveUpAt = performance.now() + paidWithinMs;
  let offer = await listed();
  while (offer?.offer_status !== 'Active') {
    if (performance.now() > giveUpAt) throw new Error(`${purchase.title} is ${offer?.offer_status} for good`);
    await pause(500);
    offer = await listed();
  }
  await insist('GET /images', offer.image);
  await beSeen(world.broker, purchase);

  const path = `/offers/${purchase.offerId}`;
  const post = (headers: Record<string, string>) => ({ method: 'POST', headers });
  await call('POST /offers/:id/pause', `${path}/pause`, post, doneOr('E3'));
  await call('POST /offers/:id/resume', `${path}/resume`, post, doneOr('E4'));
  await call('GET /offers/:id/analytics', `${path}/analytics?interval=24h`);
  // Some are left to be listed.
  if (turn % 8 > 5) return;
  purchase.deleted = true;
  const gone = ({ status, repeated }: Answer) => status === 200 || (repeated && status === 401);
  await call('DELETE /offers/:id', path, (headers) => ({ method: 'DELETE', headers }), gone);
}

/** Follows the link as a person does, and pays at the card provider, whose webhook tells billing. */
async function pay(insist: Insisting, paymentUrl: string): Promise<void> {
  const { body } = await insist('GET /pay/:token', paymentUrl, undefined, ({ body: { location } }) =>
    /cs_(test|live)_/.test(String(location)),
  );
  const page = new URL(String(body.location));
  const sessionId = /cs_(test|live)_[A-Za-z0-9]+/.exec(page.href)?.[0];
  const paid = await fetch(`${page.origin}/sim/sessions/${sessionId}/pay`, { method: 'POST' });
  if (!paid.ok) throw new Error(`the card provider answered ${paid.status}`);
}

/** By people who are different each time, so that each view and each click counts. */
async function beSeen(broker: Broker, purchase: Purchase): Promise<void> {
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
  await broker.publish([...views, ...clicks]);
  purchase.views += views.length;
  purchase.clicks += clicks.length;
}
