/** What happens to offers and the balance of an organisation, as its server hears of it: by outbox, broker, notifier and HTTP. */
import { describe, expect, it } from '@jest/globals';
import { webhookBody, webhookTypes } from '@offer-ads/contracts/webhooks/webhook-types';
import { unwrap, type WebhookEvent } from '@offer-ads/sdk';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  advertiser,
  hourMs,
  inFuture,
  minuteMs,
  newOrganisation,
  offerForm,
  topUp,
} from '../harness/advertiser.ts';
import { sdkClient } from '../harness/sdk-client.ts';
import { startShop } from '../harness/shop.ts';
import type { TestSystem } from '../harness/test-system.ts';

export function describeWebhooks(system: () => TestSystem): void {
  describe('webhooks', () => {
    it('of every type arrive, signed, with exactly the fields of their schema', async () => {
      await using shop = await startShop();
      const { id, key } = await newOrganisation(system());
      const { webhooks, offers, testClock } = sdkClient(system(), key);
      const create = async (hours: number) => {
        const form = await offerForm({ expiry_datetime: inFuture(hours * hourMs) });
        return (await advertiser(system(), key).create(form)).body.offer_id;
      };
      const arrival = (type: WebhookEvent['type']) =>
        eventually(() => expect(shop.events.map((event) => event.type)).toContain(type), {
          timeoutMs: minuteMs,
        });
      const { webhook_id: webhookId, secret } = unwrap(await webhooks.create({ url: shop.url }));
      shop.secrets.push(secret);

      // The balance is 1,000, so any purchase falls below it.
      await system().admin('balance', 'threshold', `--org=${id}`, '--mode=test', '--amount=1000.00');
      const offerId = await create(24);
      // An offer that is paused or over before its activation is announced has none.
      await arrival('offer.activated');
      unwrap(await offers.update(offerId, { title: 'Three for one', url: 'https://crown.example/three' }));
      await arrival('offer.updated');
      unwrap(await offers.pause(offerId));
      unwrap(await offers.resume(offerId));
      await system().admin('offer', 'disable', `${offerId}`, '--reason=It is not what the page sells.');
      await system().admin('offer', 'enable', `${offerId}`);
      unwrap(await offers.delete(offerId));
      await topUp(system(), id, 'test');
      await create(1);
      unwrap(await testClock.advance({ advance_seconds: 7_200 }));
      unwrap(await webhooks.sendTest(webhookId));
      for (const type of webhookTypes) await arrival(type);

      // The schema drops what it does not know, so a field that nobody declared would be missed here.
      for (const event of shop.events) expect(webhookBody(event.type).parse(event)).toEqual(event);
      expect(shop.events.find(({ type }) => type === 'offer.updated')?.data).toEqual({
        environment: 'TEST',
        offer_id: offerId,
        title: 'Three for one',
        start_datetime: expect.any(String),
        expiry_datetime: expect.any(String),
        changed_fields: ['title', 'url'],
      });
    }, 240_000);
  });
}
