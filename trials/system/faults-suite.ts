/** The broker goes away while offers are bought, and services die: nothing is lost, and the system comes back. */
import { describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, hourMs, inFuture, newOrganisation, offerForm } from './advertiser.ts';
import { countMails, mailsTo, payAsAPersonWould } from './simulators.ts';
import type { System } from './system.ts';

export function describeFaults(system: () => System): void {
  describe('without RabbitMQ', () => {
    it('offers are bought and paid; activations and mails arrive once it is back, each once', async () => {
      const organisation = await newOrganisation(system());
      const caller = advertiser(system(), organisation.key);
      const byCard = { payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) };
      await eventually(async () => expect((await caller.request('GET', '/categories')).status).toBe(200));

      system().broker.takeDown();
      const fromBalance = await caller.create(await offerForm({ title: 'Bought in silence' }));
      const fromCard = await caller.create(await offerForm({ ...byCard, title: 'Paid in silence' }));
      expect(fromBalance.body).toMatchObject({ return_code: 'S1', status: 'Active' });
      await payAsAPersonWould(fromCard.body.payment_url);
      const mails = await mailsTo(system(), organisation.adminEmail);
      expect(mails.filter(({ subject }) => subject.includes('in silence'))).toEqual([]);
      system().broker.bringBack();

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

  describe('a service that is killed', () => {
    it.each(serviceNames)(
      '%s is started again, with a clear line; the others live on',
      async (name) => {
        const before = system().state().processes;
        process.kill(before[name], 'SIGKILL');
        await eventually(() => expect(system().state().processes[name]).not.toBe(before[name]));
        expect(others(system().state().processes, name)).toEqual(others(before, name));
        await eventually(() => expect(system().output()).toContain(`[${name}] ended (SIGKILL)`));
        await eventually(() => expect(system().output()).toContain(`[${name}] runs again`), {
          timeoutMs: 150_000,
        });
      },
      240_000,
    );

    it('leaves a system in which an offer can be bought', async () => {
      const caller = advertiser(system(), (await newOrganisation(system())).key);
      await eventually(
        async () => expect((await caller.create(await offerForm())).body.return_code).toBe('S1'),
        { timeoutMs: 60_000 },
      );
    }, 240_000);
  });
}

function others(processes: Readonly<Record<ServiceName, number>>, name: ServiceName): object {
  return { ...processes, [name]: undefined };
}
