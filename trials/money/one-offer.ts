/** Creates, pays for and deletes one offer, as a client that repeats after a 503. */
import { randomUUID } from 'node:crypto';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { formOf } from './keys.ts';
import { publicUrl, type World } from './world.ts';

/** A busy machine may answer 503 several times. */
const ANSWERED_WITHIN_MS = 60_000;

export type OfferWish = Partial<Pick<CallerContext, 'organisationId' | 'quota'>> & {
  readonly paymentMethod: 'B' | 'E';
  readonly title?: string;
  readonly radius: number;
  readonly startMs: number;
  readonly durationMs: number;
};

type Created = {
  readonly return_code: string;
  readonly offer_id: number;
  readonly payment_url: string | null;
};

/** Repeats with the same key after a 503, and gives the first other answer. */
export async function createOffer(world: World, wish: OfferWish): Promise<Created> {
  const { paymentMethod, title = 'Two for one', radius, startMs, durationMs, ...facts } = wish;
  const body = await formOf({
    category_id: '1',
    title,
    description: 'Two coffees for the price of one',
    url: 'https://cafe.example/two-for-one',
    'location[]': ['51.5074', '-0.1278'],
    radius: `${radius}`,
    start_datetime: new Date(startMs).toISOString(),
    expiry_datetime: new Date(startMs + durationMs).toISOString(),
    payment_method: paymentMethod,
    environment: 'TEST',
  });
  const headers = { ...signedCaller({ audience: 'offers', ...facts }), 'idempotency-key': randomUUID() };
  return eventually(
    async () => {
      const url = `${world.offers.running().url}/offers`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      // After a 503 the key may still be leased. Leases end by the clock, which only the test moves.
      if (response.status === 409) world.clock.advance(1_000);
      if (response.status !== 200) throw new Error(`creating: ${response.status} ${text}`);
      return JSON.parse(text) as Created;
    },
    { timeoutMs: ANSWERED_WITHIN_MS },
  );
}

/** The outcome: `200 S1`, `409 E6` or `503 E7`; or `gone`, if a repeat after a 503 without a code found the offer deleted. */
export async function deleteOffer(world: World, organisationId: number, offerId: number): Promise<string> {
  const url = `${world.offers.running().url}/offers/${offerId}`;
  const headers = signedCaller({ audience: 'offers', organisationId });
  let asked = 0;
  return eventually(
    async () => {
      asked += 1;
      const response = await fetch(url, { method: 'DELETE', headers });
      const { return_code: code } = (await response.json()) as { return_code?: string };
      if (response.status === 503 && code === undefined) throw new Error('deleting: 503');
      return asked > 1 && response.status === 401 ? 'gone' : `${response.status} ${code ?? ''}`;
    },
    { timeoutMs: ANSWERED_WITHIN_MS },
  );
}

/** Follows the payment link, as the payer's browser does. */
export async function paymentSession(world: World, { payment_url }: Created): Promise<string> {
  const link = (payment_url ?? '').replace(publicUrl, world.billing.running().url);
  return eventually(
    async () => {
      const response = await fetch(link, { redirect: 'manual' });
      await response.body?.cancel();
      const session = /cs_test_\w+/.exec(response.headers.get('location') ?? '')?.[0];
      if (session === undefined) throw new Error(`the link answers ${response.status}`);
      return session;
    },
    { timeoutMs: ANSWERED_WITHIN_MS },
  );
}
