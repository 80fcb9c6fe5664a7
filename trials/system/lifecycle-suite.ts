/** One offer, and a group, paid by card from purchase to credit, with the mails that go with it. The load of the rolling suite buys others, by balance too. */
import { randomUUID } from 'node:crypto';
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

  describe('a group of three places', () => {
    const places = [
      { latitude: 51.5136, longitude: -0.1365, label: 'Soho' },
      { latitude: 51.5055, longitude: -0.0754, label: 'Borough' },
      { latitude: 51.5416, longitude: -0.1433 },
    ];
    const later = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(25 * hourMs) };
    type Group = {
      readonly group_id: number;
      readonly offers: readonly { readonly offer_id: number }[];
      readonly payment_url: string;
      readonly totals: { readonly spent: number };
      readonly estimated_cost: number;
    };
    const groupOf = (body: object) => body as Group;
    const create = async (caller: Advertiser, fields: Record<string, string>) => {
      const changes = { 'location[]': undefined, places: JSON.stringify(places), ...later, ...fields };
      const headers = { 'idempotency-key': randomUUID() };
      return caller.request('POST', '/offer-groups', { body: await offerForm(changes), headers });
    };
    const estimated = async (caller: Advertiser) => {
      const { start_datetime, expiry_datetime: end_datetime } = later;
      const form = { start_datetime, end_datetime, places, radius: 10 };
      const { body } = await caller.json('POST', '/offer-groups/price-estimate', form);
      return Math.round(groupOf(body).estimated_cost * 100);
    };
    const spent = async (caller: Advertiser, { group_id: id }: Group) =>
      Math.round(groupOf((await caller.request('GET', `/offer-groups/${id}`)).body).totals.spent * 100);

    it('is paid by one link with VAT for all, with one mail, and credited to the balance when deleted', async () => {
      const organisation = await newOrganisation(system(), { balance: '0' });
      await switchTestMailsOn(system(), organisation.adminEmail);
      const caller = advertiser(system(), organisation.key);
      const cost = await estimated(caller);
      const { body } = await create(caller, { title: 'Three by card', payment_method: 'E' });
      const group = groupOf(body);
      const session = await simulatedSession(system(), await payAsAPersonWould(group.payment_url));
      expect(session).toMatchObject({ status: 'complete', vatMinor: Math.round(cost * 0.2) });
      await eventually(async () => expect(await spent(caller, group)).toBe(cost));
      expect(await balance(organisation)).toBe('0.00');
      await eventually(async () => {
        const paid = {
          to: organisation.adminEmail,
          kind: 'Offers paid',
          title: 'Three by card (3 places)',
        } as const;
        expect(await countMails(system(), paid)).toBe(1);
      });
      const { body: deleted } = await caller.request('DELETE', `/offer-groups/${group.group_id}`);
      expect(deleted).toMatchObject({ results: group.offers.map(() => ({ done: true })) });
      await eventually(async () => {
        expect(Math.round(Number(await balance(organisation)) * 100)).toBe(cost);
      });
    });

    it('is paid from the balance in one charge, within the spending limit of the key, or not at all', async () => {
      const { id } = await newOrganisation(system());
      const keyWith = async (perDayMinor: number) => {
        const limit = `--spend-per-day=${perDayMinor}`;
        const { key } = await system().admin<{ key: string }>(
          'key',
          'create',
          `--org=${id}`,
          '--mode=test',
          limit,
        );
        return advertiser(system(), key);
      };
      const caller = await keyWith(100_000);
      const cost = await estimated(caller);
      const before = await system().balance(id);
      const refused = await create(await keyWith(cost - 1), {});
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain('spending limit');
      expect(await system().balance(id)).toBe(before);
      const { body } = await create(await keyWith(cost), {});
      expect(body).toMatchObject({ return_code: 'S1', payment_url: null });
      expect(Math.round((Number(before) - Number(await system().balance(id))) * 100)).toBe(cost);
      expect(await spent(caller, groupOf(body))).toBe(cost);
    });
  });
}
