/** Deleting against paying, in both orders, and deletions whose request died. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createdId } from '../forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid, pay } from '../payments.ts';

const HOUR = 3_600_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  await under.clearEvents();
});

async function statusOf(id: number): Promise<string> {
  return ((await under.admin('GET', `/admin/offers/${id}`)).body as { status: string }).status;
}

/** What a process that died between closing the page and recording it leaves behind. */
async function strand(id: number): Promise<void> {
  const begun = 'UPDATE offers SET deleting_since = $2, deletions = deletions + 1 WHERE offer_id = $1';
  await under.postgres.query(begun, [id, under.clock.now()]);
}

/** Pays if the page is still open, and hands the event over. */
async function payIfOpen(id: number): Promise<'paid' | 'page closed'> {
  try {
    under.otherServices.billing.pay(id);
  } catch {
    return 'page closed';
  }
  await under.deliver(OfferPaid, offerPaid(under, id));
  return 'paid';
}

async function deletionTold(id: number): Promise<Record<string, unknown> | undefined> {
  const events = await under.events();
  return events.find((event) => event.name === 'OfferDeleted' && event.data.offerId === id)?.data;
}

describe('a deletion and a payment at once', () => {
  it('end in one of three ways: deleted and never paid, deleted and credited, or paid and kept', async () => {
    for (let round = 0; round < runs(10, 500); round += 1) {
      const id = await createdId(under, { payment_method: 'E' });
      const remove = () => under.call('DELETE', `/offers/${id}`);
      const [payment, deletion] =
        round % 2 === 0
          ? await Promise.all([payIfOpen(id), remove()])
          : ((await Promise.all([remove(), payIfOpen(id)])).toReversed() as [
              Awaited<ReturnType<typeof payIfOpen>>,
              Answer,
            ]);
      const told = await deletionTold(id);
      const end = [payment, deletion.status, await statusOf(id), told?.paid, told?.unusedMs];
      expect([
        ['page closed', 200, 'Deleted', false, 0],
        ['paid', 200, 'Deleted', true, 10 * HOUR],
        ['paid', 409, 'Scheduled', undefined, undefined],
      ]).toContainEqual(end);
    }
  });

  it('keep the offer when the payment is applied while the page is being closed', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await strand(id);
    await pay(under, id);
    under.clock.advance(31_000);
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Scheduled');
  });
});

describe('a payment for a deleted offer', () => {
  it('never revives it and is wholly unused', async () => {
    const id = await createdId(under, { payment_method: 'E', start_datetime: '2026-06-01T11:59:30Z' });
    await under.call('DELETE', `/offers/${id}`);
    await under.clearEvents();
    await under.deliver(OfferPaid, offerPaid(under, id));
    expect(await statusOf(id)).toBe('Deleted');
    const [applied] = await under.events();
    expect(applied).toMatchObject({ name: 'OfferPaymentApplied', data: { outcome: 'deleted' } });
    expect(applied?.data.unusedMs).toBe(applied?.data.scheduledMs);
  });
});

describe('a deletion that cannot be committed in time', () => {
  it('leaves the offer and its page as they were, although the page was closed', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    const storeTime = async () => {
      await under.postgres.healthy();
      return under.postgres.clock.nowMs() ?? 0;
    };
    const commitByMs = (await storeTime()) + 500;
    under.otherServices.onCall = async ({ name, when }) => {
      if (name !== 'close' || when !== 'done') return;
      await eventually(async () => expect(await storeTime()).toBeGreaterThan(commitByMs));
    };
    const headers = { 'x-commit-by': String(commitByMs) };
    const answer = await under.call('DELETE', `/offers/${id}`, { headers });
    expect(answer).toMatchObject({ status: 503, body: { return_code: 'E7' } });
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Awaiting Payment');
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'open' });
    expect(await deletionTold(id)).toBeUndefined();
  });
});

describe('a deletion whose request died', () => {
  it('is ended by the sweep: the page is closed, the offer deleted', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await strand(id);
    // A request may still be at it.
    under.clock.advance(29_000);
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Awaiting Payment');
    under.clock.advance(2_000);
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Deleted');
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'closed' });
    expect((await under.events()).filter((event) => event.name === 'OfferDeleted')).toHaveLength(1);
  });

  it('is ended by the sweep though the clock was set back meanwhile', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await strand(id);
    under.clock.advance(-3_600_000);
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Deleted');
  });

  it('is tried until billing knows', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await strand(id);
    under.otherServices.billing.closing = 'unknown';
    under.clock.advance(31_000);
    await under.offers.sweeper.recover();
    under.otherServices.billing.closing = 'works';
    await under.offers.sweeper.recover();
    expect(await statusOf(id)).toBe('Deleted');
  });

  it('is over when the offer was paid and deleted meanwhile: billing is not asked again and again', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await strand(id);
    await pay(under, id);
    await under.call('DELETE', `/offers/${id}`);
    expect(await statusOf(id)).toBe('Deleted');
    const stranded = 'SELECT 1 FROM offers WHERE offer_id = $1 AND deleting_since IS NOT NULL';
    expect(await under.postgres.query(stranded, [id])).toEqual([]);
  });
});
