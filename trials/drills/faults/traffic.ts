/** What advertisers and the platform team do while a fault lasts. */
import { randomInt, randomUUID } from 'node:crypto';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { hourMs, inFuture, london } from '../../harness/advertiser.ts';
import type { DrillSystem } from '../system.ts';

export async function estimate(
  { call }: DrillSystem,
  location: readonly [latitude: number, longitude: number] = london,
): Promise<Response> {
  return call('/offers/price-estimate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      start_datetime: inFuture(hourMs),
      end_datetime: inFuture(25 * hourMs),
      location,
      radius: 10,
    }),
  });
}

/** A new picture each time, so that its verdict is not known yet. */
export async function newPicture(): Promise<Buffer> {
  return photographLikeJpeg({ seed: randomInt(2 ** 31) });
}

/** Each admin of the organisation gets a mail about it. */
export async function topUp({ trade }: DrillSystem): Promise<void> {
  await trade.topUp('1.00', `drill-${randomUUID()}`);
}

/** Refunds a payment at the card provider, as its own staff can. */
export async function refund({ addresses }: DrillSystem, sessionId: string): Promise<void> {
  const reply = await fetch(`${addresses.stripe}/sim/sessions/${sessionId}/refund`, { method: 'POST' });
  if (!reply.ok) throw new Error(`the refund was answered with ${reply.status}`);
}
