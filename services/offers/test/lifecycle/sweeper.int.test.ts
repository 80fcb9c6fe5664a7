/** OfferActivated and OfferEnded: each is written once, with several replicas running. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Offers } from '../../src/service.ts';
import { byCard, copyOffer, createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';

const HOUR = 3_600_000;
/** More than one batch of the sweeper. */
const HUNDREDS = 250;

const under = offersUnderTest();
let replica: Offers;
beforeAll(async () => {
  replica = await under.startReplica();
});

async function announceAt(time: string): Promise<void> {
  under.clock.set(`2026-06-01T${time}Z`);
  for (const _ of [1, 2]) {
    const replicas = [under.offers, replica, under.offers];
    await Promise.all(replicas.map(({ sweeper }) => sweeper.announce()));
  }
}

const command = (id: number, name: string) => under.call('POST', `/offers/${id}/${name}`);

async function written(id: number, name: string): Promise<Record<string, unknown>[]> {
  const events = await under.events('all');
  return events.filter((event) => event.name === name && event.data.offerId === id).map(({ data }) => data);
}

describe('OfferActivated', () => {
  it('is written soon after its time, without any request', async () => {
    const id = await createdId(under);
    under.clock.set('2026-06-01T13:00:00Z');
    await eventually(async () => expect(await written(id, 'OfferActivated')).toHaveLength(1));
  });

  it('is written once for each of hundreds that begin at once, and not before', async () => {
    const id = await createdId(under);
    await copyOffer(under, id, HUNDREDS);
    await announceAt('12:59:59.999');
    expect(await written(id, 'OfferActivated')).toEqual([]);
    await announceAt('13:00:01');
    expect(await written(id, 'OfferActivated')).toMatchObject([{ activatedAt: '2026-06-01T13:00:00.000Z' }]);
    const begun = (await under.events('all')).filter((event) => event.name === 'OfferActivated');
    expect(begun).toHaveLength(HUNDREDS + 1);
    expect(new Set(begun.map(({ data }) => data.offerId)).size).toBe(HUNDREDS + 1);
  });
});

describe('OfferEnded', () => {
  it('is written once, with the Unused Time of a paid offer', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T20:00:00Z');
    await command(id, 'pause');
    await announceAt('23:30:00');
    expect(await written(id, 'OfferEnded')).toMatchObject([
      { paid: true, unusedMs: 3 * HOUR, scheduledMs: 11 * HOUR, endedAt: '2026-06-01T23:00:00.000Z' },
    ]);
  });

  it('is written for an unpaid offer too, so that billing closes its page; a later payment is wholly unused', async () => {
    const id = await createdId(under, byCard);
    await announceAt('23:00:00');
    expect(await written(id, 'OfferEnded')).toMatchObject([{ paid: false, unusedMs: 0 }]);
    await under.deliver(OfferPaid, offerPaid(under, id));
    expect(await written(id, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 10 * HOUR, scheduledMs: 10 * HOUR },
    ]);
  });

  it('decides: a command that arrived before the end and is handled after it comes too late', async () => {
    const paused = await createdId(under, startingNow);
    const running = await createdId(under, startingNow);
    const unpaid = await createdId(under, { ...startingNow, ...byCard });
    await command(paused, 'pause');
    await announceAt('23:00:00');
    under.clock.set('2026-06-01T22:59:59Z');
    for (const answer of [await command(paused, 'resume'), await command(running, 'pause')])
      expect(answer.body).toMatchObject({ return_code: 'E2' });
    await under.deliver(OfferPaid, offerPaid(under, unpaid));
    expect(await written(unpaid, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 11 * HOUR, scheduledMs: 11 * HOUR },
    ]);
  });

  it('is not written for an offer that was deleted before its end, but for one that was deleted after it', async () => {
    const [early, late] = [await createdId(under), await createdId(under)];
    await under.call('DELETE', `/offers/${early}`);
    under.clock.set('2026-06-01T23:00:00Z');
    await under.call('DELETE', `/offers/${late}`);
    await announceAt('23:00:00');
    expect(await written(early, 'OfferEnded')).toEqual([]);
    expect(await written(late, 'OfferEnded')).toHaveLength(1);
  });
});
