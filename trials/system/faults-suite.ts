/** The broker goes away while offers are bought: nothing is lost, and the system comes back. */
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, hourMs, inFuture, newOrganisation, offerForm } from '../harness/advertiser.ts';
import { countMails, mailsTo, payAsAPersonWould } from '../harness/simulators.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { switchTestMailsOn } from '../harness/visitor.ts';

export function describeFaults(system: () => TestSystem): void {
  describe('without RabbitMQ', () => {
    it('offers are bought and paid; activations and mails arrive once it is back, each once', async () => {
      const organisation = await newOrganisation(system());
      await switchTestMailsOn(system(), organisation.adminEmail);
      const caller = advertiser(system(), organisation.key);
      const byCard = { payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) };
      await eventually(async () => expect((await caller.request('GET', '/categories')).status).toBe(200));

      system().links.rabbitmq.takeDown();
      const fromBalance = await caller.create(await offerForm({ title: 'Bought in silence' }));
      const fromCard = await caller.create(await offerForm({ ...byCard, title: 'Paid in silence' }));
      expect(fromBalance.body).toMatchObject({ return_code: 'S1', status: 'Active' });
      await payAsAPersonWould(fromCard.body.payment_url);
      const mails = await mailsTo(system(), organisation.adminEmail);
      expect(mails.filter(({ subject }) => subject.includes('in silence'))).toEqual([]);
      system().links.rabbitmq.bringBack();

      await eventually(
        async () => {
          const { body } = await caller.request('GET', '/offers?environment=test');
          expect(body.data.map((offer) => offer.offer_status)).toEqual(['Active', 'Active']);
          const to = organisation.adminEmail;
          const count = (kind: 'Payment link' | 'Offer paid', title: string) =>
            countMails(system(), { to, kind, title });
          expect(await count('Offer paid', 'Bought in silence')).toBe(1);
          expect(await count('Payment link', 'Paid in silence')).toBe(1);
          expect(await count('Offer paid', 'Paid in silence')).toBe(1);
        },
        { timeoutMs: 120_000 },
      );
    }, 300_000);
  });
}
