/** An advertiser with one key, who calls by the SDK. What the service refuses ends the demo. */
import { randomUUID } from 'node:crypto';
import { type CreateOfferRequest, createClient, unwrap } from '@offer-ads/sdk';
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

export type Advertiser = ReturnType<typeof createAdvertiser>;

/** Where each offer leads. */
export const offerUrl = 'https://northwind.example/two-for-one';
/** Central London. */
export const place = { latitude: 51.5074, longitude: -0.1278, radiusMiles: 10 };

export function createAdvertiser(gateway: string, key: string) {
  const { offers, categories, interests } = createClient({
    apiKey: key,
    baseUrl: gateway,
    allowHttp: true,
    onRetry: ({ operation, status, waitMs }) =>
      say(`(${operation} was answered ${status ?? 'nothing'}: again in ${Math.ceil(waitMs / 1_000)} s)`),
  });
  return {
    categories: async () => (await categories.list()).value.categories,
    interests: async () => (await interests.list()).value.interests,

    estimate: async (o: Pick<OfferForm, 'startAt' | 'expiryAt' | 'interestIds'>) =>
      unwrap(
        await offers.estimate({
          start_datetime: o.startAt,
          end_datetime: o.expiryAt,
          location: [place.latitude, place.longitude],
          radius: place.radiusMiles,
          interests: o.interestIds,
        }),
      ),

    /** Sends the request twice with one key, as after a lost reply: the second one must change nothing. */
    createTwice: async (offer: OfferForm) => {
      const once = { idempotencyKey: randomUUID() };
      const first = unwrap(await offers.create(requestOf(offer), once));
      const second = unwrap(await offers.create(requestOf(offer), once));
      if (JSON.stringify(second) !== JSON.stringify(first)) {
        throw new NotTrue(
          `the same Idempotency-Key gave ${JSON.stringify(first)} and then ${JSON.stringify(second)}`,
        );
      }
      return first;
    },

    /** The offer in the listing; undefined if it is not listed. */
    listed: async (offerId: number) =>
      unwrap(await offers.list({ limit: 100 }).page()).data.find((offer) => offer.offer_id === offerId),

    pause: async (offerId: number) => unwrap(await offers.pause(offerId)),
    refusedPause: async (offerId: number) => {
      const paused = await offers.pause(offerId);
      if (paused.ok) throw new NotTrue(`pausing offer ${offerId} must be refused`);
      return paused;
    },
    resume: async (offerId: number) => unwrap(await offers.resume(offerId)),
    analytics: async (offerId: number) => unwrap(await offers.analytics(offerId, '24h')),
    delete: async (offerId: number) => unwrap(await offers.delete(offerId)),
  };
}

function requestOf(offer: OfferForm): CreateOfferRequest {
  return {
    category_id: offer.categoryId,
    title: offer.title,
    description: 'Bring a friend: the second main course is on the house.',
    terms_and_conditions: 'Not with other offers.',
    url: offerUrl,
    image: new Uint8Array(offer.image),
    location: [place.latitude, place.longitude],
    radius: place.radiusMiles,
    interests: offer.interestIds,
    start_datetime: offer.startAt,
    expiry_datetime: offer.expiryAt,
    payment_method: offer.paymentMethod,
  };
}
