/** One offer paid by card from purchase to credit, with the mails that go with it. The load of the rolling suite buys others, by balance too. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { listReply } from '@offer-ads/contracts/public/api';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  type Advertiser,
  advertiser,
  hourMs,
  inFuture,
  newOrganisation,
  type Organisation,
  offerForm,
} from '../harness/advertiser.ts';
import { countMails, mailsTo, payAsAPersonWould, simulatedSession } from '../harness/simulators.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { switchTestMailsOn } from '../harness/visitor.ts';

export function describeLifecycle(system: () => TestSystem): void {
  const balance = ({ id }: Organisation) => system().balance(id);
  const statusOf = async (caller: Advertiser, offerId: number) => {
    const { body } = await caller.request('GET', '/offers?environment=test&limit=100');
    return listReply.parse(body).data.find(({ offer_id }) => offer_id === offerId)?.offer_status;
  };

  describe('an offer paid by card', () => {
    let organisation: Organisation;
    let caller: Advertiser;
    beforeAll(async () => {
      organisation = await newOrganisation(system(), { balance: '0' });
      await switchTestMailsOn(system(), organisation.adminEmail);
      caller = advertiser(system(), organisation.key);
    });
    it('waits, is paid with VAT on a line of its own, runs, and is credited net when deleted', async () => {
      const byCard = { payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) };
      const { body: offer } = await caller.create(await offerForm({ title: 'Paid by card', ...byCard }));
      expect(await statusOf(caller, offer.offer_id)).toBe('Awaiting Payment');
      const pause = await caller.request('POST', `/offers/${offer.offer_id}/pause`);
      expect(pause.body).toMatchObject({ return_code: 'E5', code: 200 });
      await eventually(async () => {
        const mails = await mailsTo(system(), organisation.adminEmail);
        expect(mails.some(({ text }) => text.includes(offer.payment_url))).toBe(true);
      });

      const sessionId = await payAsAPersonWould(offer.payment_url);
      const session = await simulatedSession(system(), sessionId);
      const net = session.lines[0]!.amountMinor;
      expect(session).toMatchObject({ status: 'complete', currency: 'gbp', vatMinor: Math.round(net * 0.2) });
      await eventually(async () => expect(await statusOf(caller, offer.offer_id)).toBe('Active'));
      await eventually(async () => {
        const paid = { to: organisation.adminEmail, kind: 'Offer paid', title: 'Paid by card' } as const;
        expect(await countMails(system(), paid)).toBe(1);
      });

      expect((await caller.request('DELETE', `/offers/${offer.offer_id}`)).body.return_code).toBe('S1');
      // It ran for a few seconds of its 24 hours, so nearly the whole net price is credited, and no VAT.
      await eventually(async () => {
        const credited = Math.round(Number(await balance(organisation)) * 100);
        expect(credited).toBeLessThanOrEqual(net);
        expect(credited).toBeGreaterThan(net * 0.98);
      });
    });
  });
}
