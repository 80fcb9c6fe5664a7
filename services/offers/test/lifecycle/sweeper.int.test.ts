/** OfferActivated and OfferEnded: once each, with several replicas at work. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Offers, startOffers } from '../../src/service.ts';
import { createdId, startingNow } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';

const HOUR = 3_600_000;
/** More than one batch of the sweeper. */
const HUNDREDS = 450;

let under: OffersUnderTest;
let replica: Offers;
beforeAll(async () => {
  under = await startOffersUnderTest();
  replica = await startWhenStoresServe(() =>
    startOffers(under.config, { clock: under.clock, logger: silentLogger }),
  );
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  await under.clearEvents();
});

async function tellEverywhere(): Promise<void> {
  await Promise.all([
    under.offers.sweeper.announce(),
    replica.sweeper.announce(),
    under.offers.sweeper.announce(),
  ]);
}

async function told(id: number, name: string): Promise<Record<string, unknown>[]> {
  const events = await under.events('all');
  return events.filter((event) => event.name === name && event.data.offerId === id).map(({ data }) => data);
}

describe('OfferActivated', () => {
  it('is told once when a paid offer reaches its start', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => createdId(under)));
    await tellEverywhere();
    for (const id of ids) expect(await told(id, 'OfferActivated')).toEqual([]);
    under.clock.set('2026-06-01T13:00:01Z');
    await tellEverywhere();
    await tellEverywhere();
    for (const id of ids) {
      expect(await told(id, 'OfferActivated')).toMatchObject([{ activatedAt: '2026-06-01T13:00:00.000Z' }]);
    }
  });

  it('is out soon after its moment, nobody asking', async () => {
    const id = await createdId(under);
    under.clock.set('2026-06-01T13:00:00Z');
    await eventually(async () => expect(await told(id, 'OfferActivated')).toHaveLength(1));
  });

  it('is told of all of them when hundreds begin at once', async () => {
    const id = await createdId(under);
    const { columns } = (
      await under.postgres.query<{ columns: string }>(
        `SELECT string_agg(column_name, ', ') AS columns FROM information_schema.columns
         WHERE table_name = 'offers' AND column_name NOT IN ('offer_id', 'organisation_id')`,
      )
    )[0]!;
    const copy = `INSERT INTO offers (organisation_id, ${columns})
      SELECT 2, ${columns} FROM offers, generate_series(1, $2) WHERE offer_id = $1`;
    await under.postgres.query(copy, [id, HUNDREDS]);
    await under.clearEvents();
    under.clock.set('2026-06-01T13:00:00Z');
    await tellEverywhere();
    await tellEverywhere();
    const begun = (await under.events('all')).filter((event) => event.name === 'OfferActivated');
    expect(begun).toHaveLength(HUNDREDS + 1);
    expect(new Set(begun.map(({ data }) => data.offerId)).size).toBe(HUNDREDS + 1);
    await under.postgres.query('DELETE FROM offers WHERE organisation_id = 2');
  });

  it('waits for the end of a pause that covers the start', async () => {
    const id = await createdId(under);
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T14:00:00Z');
    await tellEverywhere();
    expect(await told(id, 'OfferActivated')).toEqual([]);
    await under.call('POST', `/offers/${id}/resume`);
    await tellEverywhere();
    expect(await told(id, 'OfferActivated')).toMatchObject([{ activatedAt: '2026-06-01T14:00:00.000Z' }]);
  });

  it('is not told of an unpaid or deleted offer', async () => {
    const unpaid = await createdId(under, { payment_method: 'E' });
    const deleted = await createdId(under);
    await under.call('DELETE', `/offers/${deleted}`);
    under.clock.set('2026-06-01T14:00:00Z');
    await tellEverywhere();
    expect([...(await told(unpaid, 'OfferActivated')), ...(await told(deleted, 'OfferActivated'))]).toEqual(
      [],
    );
  });
});

describe('OfferEnded', () => {
  it('is told once with the unused time of a paid offer', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T20:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-02T09:00:00Z');
    await tellEverywhere();
    await tellEverywhere();
    expect(await told(id, 'OfferEnded')).toMatchObject([
      { paid: true, unusedMs: 3 * HOUR, scheduledMs: 11 * HOUR, endedAt: '2026-06-01T23:00:00.000Z' },
    ]);
  });

  it('is told of an unpaid offer, so that its page is closed, and a payment after it is wholly unused', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.clock.set('2026-06-01T23:00:00Z');
    await tellEverywhere();
    expect(await told(id, 'OfferEnded')).toMatchObject([{ paid: false, unusedMs: 0 }]);
    await under.deliver(OfferPaid, offerPaid(under, id));
    expect(await told(id, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 10 * HOUR, scheduledMs: 10 * HOUR },
    ]);
  });

  it('settles the offer: a command that was on its way since before the end comes too late', async () => {
    const [paused, running, unpaid] = [
      await createdId(under, startingNow),
      await createdId(under, startingNow),
      await createdId(under, { ...startingNow, payment_method: 'E' }),
    ];
    await under.call('POST', `/offers/${paused}/pause`);
    under.clock.set('2026-06-01T23:00:00Z');
    await tellEverywhere();
    await under.clearEvents();
    under.clock.set('2026-06-01T22:59:59Z');
    const answers = [
      await under.call('POST', `/offers/${paused}/resume`),
      await under.call('POST', `/offers/${running}/pause`),
    ];
    for (const answer of answers) expect(answer.body).toMatchObject({ return_code: 'E2' });
    await under.deliver(OfferPaid, offerPaid(under, unpaid));
    expect(await told(unpaid, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 11 * HOUR, scheduledMs: 11 * HOUR },
    ]);
  });

  it('is not told of an offer deleted before its end, but of one deleted after it', async () => {
    const early = await createdId(under);
    const late = await createdId(under);
    await under.call('DELETE', `/offers/${early}`);
    under.clock.set('2026-06-01T23:00:00Z');
    await under.call('DELETE', `/offers/${late}`);
    await tellEverywhere();
    expect(await told(early, 'OfferEnded')).toEqual([]);
    expect(await told(late, 'OfferEnded')).toHaveLength(1);
  });
});
