/** A client of the public API with one key, like an integration. Replies are checked against the contract. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  analyticsReply,
  categoriesReply,
  createReply,
  deleteReply,
  estimateReply,
  interestsReply,
  type ListedOffer,
  listReply,
  pauseReply,
  refusal,
  resumeReply,
} from '@offer-ads/contracts/public/api';
import type { z } from 'zod';
import { NotTrue, say } from './checks.ts';

export type OfferForm = {
  readonly title: string;
  readonly categoryId: number;
  readonly interestIds: readonly number[];
  readonly startAt: Date;
  readonly expiryAt: Date;
  readonly paymentMethod: 'E' | 'B';
  readonly image: Buffer;
};

type Call = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | FormData;
};

export type Advertiser = ReturnType<typeof createAdvertiser>;

/** Where each offer leads. */
export const offerUrl = 'https://northwind.example/two-for-one';
/** Central London. */
export const place = { latitude: 51.5074, longitude: -0.1278, radiusMiles: 10 };

export function createAdvertiser(gateway: string, key: string) {
  async function call<S extends z.ZodType>(schema: S, path: string, init: Call = {}): Promise<z.infer<S>> {
    const reply = await fetch(gateway + path, { ...init, headers: { ...init.headers, 'x-api-key': key } });
    const body: unknown = await reply.json();
    if (reply.status === 429) {
      const seconds = Number(reply.headers.get('retry-after'));
      say(`(the limit of 60 requests a minute is reached: continuing in ${seconds} s)`);
      await pause(seconds * 1000);
      return call(schema, path, init);
    }
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new NotTrue(`${init.method ?? 'GET'} ${path} answered ${reply.status} ${JSON.stringify(body)}`);
  }
  const change = { method: 'POST' };

  return {
    categories: async () => (await call(categoriesReply, '/categories')).categories,
    interests: async () => (await call(interestsReply, '/interests')).interests,

    estimate: (o: Pick<OfferForm, 'startAt' | 'expiryAt' | 'interestIds'>) =>
      call(estimateReply, '/offers/price-estimate', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          start_datetime: o.startAt.toISOString(),
          end_datetime: o.expiryAt.toISOString(),
          location: [place.latitude, place.longitude],
          radius: place.radiusMiles,
          interests: o.interestIds,
        }),
      }),

    /** Sends the request twice with one key, as after a lost reply: the second one must change nothing. */
    async createTwice(offer: OfferForm) {
      const headers = { 'idempotency-key': randomUUID() };
      const create = () => call(createReply, '/offers', { method: 'POST', headers, body: toForm(offer) });
      const first = await create();
      const second = await create();
      if (JSON.stringify(second) !== JSON.stringify(first)) {
        throw new NotTrue(
          `the same Idempotency-Key gave ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
        );
      }
      return first;
    },

    /** The offer in the listing; undefined if it is not listed. */
    async listed(offerId: number): Promise<ListedOffer | undefined> {
      const { data } = await call(listReply, '/offers?environment=test&limit=100');
      return data.find((offer) => offer.offer_id === offerId);
    },

    pause: (offerId: number) => call(pauseReply, `/offers/${offerId}/pause`, change),
    refusedPause: (offerId: number) => call(refusal, `/offers/${offerId}/pause`, change),
    resume: (offerId: number) => call(resumeReply, `/offers/${offerId}/resume`, change),
    analytics: (offerId: number) => call(analyticsReply, `/offers/${offerId}/analytics?interval=24h`),
    delete: (offerId: number) => call(deleteReply, `/offers/${offerId}`, { method: 'DELETE' }),
  };
}

export function toForm(offer: OfferForm): FormData {
  const form = new FormData();
  const fields: [string, string | number][] = [
    ['category_id', offer.categoryId],
    ['title', offer.title],
    ['description', 'Bring a friend: the second main course is on the house.'],
    ['terms_and_conditions', 'Not with other offers.'],
    ['url', offerUrl],
    ['location[]', place.latitude],
    ['location[]', place.longitude],
    ['radius', place.radiusMiles],
    ...offer.interestIds.map((id): [string, number] => ['interests[]', id]),
    ['start_datetime', offer.startAt.toISOString()],
    ['expiry_datetime', offer.expiryAt.toISOString()],
    ['payment_method', offer.paymentMethod],
    ['environment', 'TEST'],
  ];
  for (const [name, value] of fields) form.append(name, `${value}`);
  form.append('image', new Blob([new Uint8Array(offer.image)], { type: 'image/jpeg' }), 'table-for-two.jpg');
  return form;
}
