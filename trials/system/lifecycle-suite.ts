/** One offer from purchase to credit, by balance and by card, with the mails and the figures that go with it. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { analyticsReply, listReply } from '@offer-ads/contracts/public/api';
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

  describe('an offer paid from the balance', () => {
    let organisation: Organisation;
    let caller: Advertiser;
    let strangers: readonly Advertiser[];
    beforeAll(async () => {
      const [own, other] = await Promise.all([newOrganisation(system()), newOrganisation(system())]);
      organisation = own;
      caller = advertiser(system(), own.key);
      const live = await system().admin<{ key: string }>('key', 'create', `--org=${own.id}`, '--mode=live');
      await switchTestMailsOn(system(), own.adminEmail);
      strangers = [advertiser(system(), other.key), advertiser(system(), live.key)];
    });

    it('runs, pauses, resumes, counts its views and is credited in full when deleted before its start', async () => {
      const start = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(3 * hourMs) };
      const { body } = await caller.create(await offerForm(start));
      const offerId = body.offer_id;
      expect(await statusOf(caller, offerId)).toBe('Scheduled');

      const act = (action: string) => caller.request('POST', `/offers/${offerId}/${action}`);
      expect((await act('pause')).body).toEqual({ return_code: 'S1', message: 'Offer has been paused' });
      expect((await act('pause')).body).toMatchObject({ return_code: 'E3', status: 'Error', code: 200 });
      expect(await statusOf(caller, offerId)).toBe('Paused');
      expect((await act('resume')).body).toEqual({ return_code: 'S2', message: 'Offer has been resumed' });
      expect((await act('resume')).body).toMatchObject({ return_code: 'E4', status: 'Error', code: 200 });

      const deleted = await caller.request('DELETE', `/offers/${offerId}`);
      expect(deleted.body).toEqual({ return_code: 'S1', message: 'Offer has been deleted' });
      expect(await statusOf(caller, offerId)).toBeUndefined();
      await eventually(async () => expect(await balance(organisation)).toBe('1000.00'));
      expect((await caller.request('DELETE', `/offers/${offerId}`)).body).toEqual({
        return_code: 'E1',
        status: 'Error',
        code: 401,
        message: 'Offer not found',
      });
    });

    it('counts each view and click once', async () => {
      const { body } = await caller.create(await offerForm());
      const traffic = ['--offer', String(body.offer_id), '--views', '30', '--clicks', '4'];
      await system().admin('traffic', 'record', ...traffic);
      await eventually(async () => {
        const reply = await caller.request('GET', `/offers/${body.offer_id}/analytics?interval=24h`);
        expect(analyticsReply.parse(reply.body).metrics).toEqual({ views: 30, clicks: 4 });
      });
    });

    it('is told to the admins by mail', async () => {
      await caller.create(await offerForm({ title: 'Told by mail' }));
      await eventually(async () => {
        const paid = { to: organisation.adminEmail, kind: 'Offer paid', title: 'Told by mail' } as const;
        expect(await countMails(system(), paid)).toBe(1);
      });
    });

    it("is not found by another organisation's key, nor by the other mode's", async () => {
      const { body } = await caller.create(await offerForm());
      for (const other of strangers) {
        const { status, body: refused } = await other.request('POST', `/offers/${body.offer_id}/pause`);
        expect({ status, message: refused.message }).toEqual({ status: 401, message: 'Offer not found' });
        const analytics = await other.request('GET', `/offers/${body.offer_id}/analytics?interval=all`);
        expect({ status: analytics.status, body: analytics.body }).toEqual({
          status: 401,
          body: { message: 'Unauthorised' },
        });
      }
    });
  });

  describe('an offer paid by card', () => {
    let organisation: Organisation;
    let caller: Advertiser;
    beforeAll(async () => {
      organisation = await newOrganisation(system(), { balance: '0' });
      await switchTestMailsOn(system(), organisation.adminEmail);
      caller = advertiser(system(), organisation.key);
    });
    const createByCard = async (title: string) => {
      const form = await offerForm({ title, payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) });
      return (await caller.create(form)).body;
    };

    it('waits, is paid with VAT on a line of its own, runs, and is credited net when deleted', async () => {
      const offer = await createByCard('Paid by card');
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

    it('is deleted unpaid: its payment page can no longer be paid', async () => {
      const offer = await createByCard('Never paid');
      expect((await caller.request('DELETE', `/offers/${offer.offer_id}`)).body.return_code).toBe('S1');
      const page = await fetch(offer.payment_url, { redirect: 'manual' });
      expect(page.status).not.toBe(303);
      expect(await page.text()).not.toContain('checkout');
      expect(await balance(organisation)).not.toBe('');
    });
  });
}
