/** What advertisers do meanwhile. */

import { randomInt, randomUUID } from 'node:crypto';
import { createAdvertiser, place } from '@offer-ads/dev/demo/advertiser';
import { clickPay, openPaymentLink } from '@offer-ads/dev/demo/payer';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import type { DrillSystem } from '../system.ts';

const HOUR_MS = 3_600_000;

function inHours(hours: number): Date {
  return new Date(Date.now() + hours * HOUR_MS);
}

export async function estimate(
  { call }: DrillSystem,
  at: { readonly latitude: number; readonly longitude: number } = place,
): Promise<Response> {
  return call('/offers/price-estimate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      start_datetime: inHours(1).toISOString(),
      end_datetime: inHours(25).toISOString(),
      location: [at.latitude, at.longitude],
      radius: place.radiusMiles,
    }),
  });
}

/** Somebody buys an offer by card and pays for it. */
export async function payByCard({
  addresses,
  organisation,
}: DrillSystem): Promise<{ offerId: number; sessionId: string }> {
  const advertiser = createAdvertiser(addresses.gateway, organisation.keys.TEST);
  const [category] = await advertiser.categories();
  const created = await advertiser.createTwice({
    title: 'Fire drill',
    categoryId: category?.category_id ?? 0,
    interestIds: [],
    startAt: inHours(24),
    expiryAt: inHours(72),
    paymentMethod: 'E',
    image: await picture(),
  });
  if (created.status !== 'Awaiting Payment') throw new Error(`the offer is ${created.status}`);
  const page = await openPaymentLink(created.payment_url);
  await clickPay(page);
  return { offerId: created.offer_id, sessionId: new URL(page.address).pathname.split('/').at(-1) ?? '' };
}

/** Never the same, so that no verdict is known beforehand. */
export async function picture(): Promise<Buffer> {
  return photographLikeJpeg({ seed: randomInt(2 ** 31) });
}

/** Money comes in by bank, which every admin is told of by mail. */
export async function topUp({ callAdmin, organisation }: DrillSystem): Promise<void> {
  await callAdmin('BILLING', 'POST', '/admin/balances/top-up', {
    organisationId: organisation.id,
    mode: 'TEST',
    currency: organisation.currency,
    amountMinor: '100',
    reference: `drill-${randomUUID()}`,
  });
}
