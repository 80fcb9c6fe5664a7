/** Two commands at once, through two replicas: they run one after the other in either order, and nothing happens twice or is lost. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { runs } from '@offer-ads/testing/profile';
import type { Offers } from '../../src/service.ts';
import { byCard, createdId, formOf, type Parts, startingNow } from '../forms.ts';
import { NOON, offersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';

const HOUR = 3_600_000;
/** Even, so that each of the two is sent first as often. */
const ROUNDS = runs(2, 200);

const under = offersUnderTest();
let replica: Offers;
beforeAll(async () => {
  replica = await under.startReplica();
});

const advertise = (method: string, path: string, form?: () => FormData) => async (id: number, to: Offers) => {
  const o = { to, ...(form && { body: form() }) };
  const { status, body } = await under.call(method, `/offers/${id}${path}`, o);
  return status === 200 ? (body as { return_code: string }).return_code : `${status}`;
};
const disable = async (id: number) =>
  `${(await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' })).status}`;

const commands = {
  pause: advertise('POST', '/pause'),
  resume: advertise('POST', '/resume'),
  delete: advertise('DELETE', ''),
  edit: advertise('PATCH', '', () => formOf({ title: `Edited ${randomUUID().slice(0, 8)}` })),
  disable,
  end: async (_id: number, to: Offers) => {
    await to.sweeper.announce();
    return 'announced';
  },
  pay: async (id: number) => {
    const paid = offerPaid(under, id, { paidAt: '2026-06-01T12:30:00.000Z' });
    await under.deliver(OfferPaid, paid, randomUUID());
    return 'applied';
  },
};
type Command = keyof typeof commands;

/** Everything that was written about the offer, with versions in order and without a gap. */
async function eventsOf(id: number) {
  const events = (await under.events('all')).filter(({ data }) => data.offerId === id);
  expect(events.map((event) => event.subjectVersion)).toEqual(events.map((_, index) => index + 1));
  return events;
}

type Race = {
  readonly of: readonly [Command, Command];
  readonly parts?: Parts;
  /** The offer is paused at this time, before the race. */
  readonly pausedAt?: string;
  readonly at?: string;
  /** The possible pairs of answers, each with the events of the two, without `Offer`: `answer, answer | event, event`. */
  readonly ends: readonly string[];
  readonly unusedHours?: number;
};

const races: readonly Race[] = [
  { of: ['pause', 'pause'], ends: ['S1, E3 | Paused'] },
  { of: ['resume', 'resume'], pausedAt: '12:00', ends: ['S2, E4 | Resumed'] },
  { of: ['pause', 'resume'], ends: ['S1, S2 | Paused, Resumed', 'S1, E4 | Paused'] },
  { of: ['delete', 'delete'], ends: ['S1, 401 | Deleted'], unusedHours: 10 },
  { of: ['delete', 'delete'], parts: byCard, ends: ['S1, 401 | Deleted'] },
  { of: ['pause', 'delete'], ends: ['S1, S1 | Paused, Deleted', '401, S1 | Deleted'], unusedHours: 10 },
  {
    of: ['resume', 'delete'],
    parts: startingNow,
    pausedAt: '12:00',
    at: '15:00',
    ends: ['S2, S1 | Resumed, Deleted', '401, S1 | Deleted'],
    unusedHours: 11,
  },
  {
    of: ['resume', 'disable'],
    pausedAt: '12:00',
    ends: ['S2, 200 | Resumed, Disabled', 'S2, 200 | Disabled, Resumed'],
  },
  { of: ['edit', 'edit'], ends: ['S1, S1 | Updated, Updated'] },
  { of: ['edit', 'delete'], ends: ['S1, S1 | Updated, Deleted', '401, S1 | Deleted'], unusedHours: 10 },
  { of: ['edit', 'end'], at: '23:00', ends: ['409, announced | Ended'], unusedHours: 0 },
  { of: ['edit', 'disable'], ends: ['S1, 200 | Updated, Disabled', 'S1, 200 | Disabled, Updated'] },
  {
    of: ['edit', 'pay'],
    parts: byCard,
    ends: ['S1, applied | Updated, PaymentApplied', 'S1, applied | PaymentApplied, Updated'],
  },
  { of: ['disable', 'disable'], ends: ['200, 409 | Disabled'] },
  { of: ['disable', 'delete'], ends: ['200, S1 | Disabled, Deleted', '404, S1 | Deleted'], unusedHours: 10 },
  {
    of: ['delete', 'end'],
    parts: startingNow,
    pausedAt: '20:00',
    at: '23:00',
    // An offer that is deleted at its very end has ended too, in either order.
    ends: ['S1, announced | Ended, Deleted', 'S1, announced | Deleted, Ended'],
    unusedHours: 3,
  },
  {
    of: ['resume', 'end'],
    parts: startingNow,
    pausedAt: '20:00',
    at: '23:00',
    ends: ['E2, announced | Ended'],
    unusedHours: 3,
  },
  { of: ['end', 'end'], at: '23:00', ends: ['announced, announced | Ended'], unusedHours: 0 },
  {
    of: ['pay', 'end'],
    parts: byCard,
    at: '23:00',
    ends: ['applied, announced | PaymentApplied, Ended', 'applied, announced | Ended, PaymentApplied'],
    unusedHours: 10,
  },
  { of: ['pay', 'pay'], parts: byCard, ends: ['applied, applied | PaymentApplied'], unusedHours: 0 },
  {
    of: ['pay', 'pause'],
    parts: byCard,
    ends: ['applied, S1 | PaymentApplied, Paused', 'applied, E5 | PaymentApplied'],
  },
];

it.each(races.map((race) => [race.of.join(' and '), race] as const))(
  '%s at once run one after the other',
  async (_, race) => {
    const { of, parts, pausedAt, at = '12:30', ends, unusedHours } = race;
    const [one, other] = of;
    for (let round = 0; round < ROUNDS; round += 1) {
      under.clock.set(NOON);
      // Enough for the offer of each round, however many there are.
      under.otherServices.billing.balanceMinor = 1_000_00n;
      const id = await createdId(under, parts);
      if (pausedAt !== undefined) {
        under.clock.set(`2026-06-01T${pausedAt}:00Z`);
        await commands.pause(id, under.offers);
      }
      const before = (await eventsOf(id)).length;
      under.clock.set(`2026-06-01T${at}:00Z`);
      const start = [() => commands[one](id, under.offers), () => commands[other](id, replica)];
      const inOrder = round % 2 === 0;
      const answers = await Promise.all((inOrder ? start : start.toReversed()).map((command) => command()));
      const given = (inOrder ? answers : answers.toReversed()).join(', ');
      if (at === '23:00') await under.announce();
      const events = (await eventsOf(id)).slice(before).filter(({ name }) => name !== 'OfferActivated');
      const allowed = [...ends, ...(one === other ? ends.map(swapped) : [])];
      expect(allowed).toContain(
        `${given} | ${events.map(({ name }) => name.replace('Offer', '')).join(', ')}`,
      );
      if (unusedHours !== undefined)
        expect(Math.max(...events.map(({ data }) => Number(data.unusedMs ?? 0)))).toBe(unusedHours * HOUR);
      // The last edit counts, and what follows it has its title.
      const titles = events.map(({ data }) => data.title);
      expect(await under.offer(id)).toMatchObject({ title: titles.at(-1) });
      await under.clearEvents();
    }
  },
);

/** Of two equal commands, either may be the first. */
function swapped(end: string): string {
  return end.replace(/^(.*), (.*) \|/, '$2, $1 |');
}

describe('a payment event', () => {
  it.each([
    { offerId: 2_000_000_000 },
    { netMinor: '999' },
    { netMinor: '1001' },
    { currency: 'EUR' },
    { organisationId: 2 },
    { mode: 'LIVE' as const },
  ])('with %j, which no offer matches, changes nothing and is parked', async (facts) => {
    const id = await createdId(under, byCard);
    const before = await eventsOf(id);
    await expect(under.deliver(OfferPaid, offerPaid(under, id, facts))).rejects.toThrow(/no offer/);
    expect(await eventsOf(id)).toEqual(before);
    expect(await under.offer(id)).toMatchObject({ status: 'Awaiting Payment' });
  });

  it('counts once, however often and under however many ids it comes, also after the deletion and the end', async () => {
    const id = await createdId(under, byCard);
    const eventId = randomUUID();
    const paid = offerPaid(under, id);
    for (const again of [eventId, eventId, randomUUID()]) await under.deliver(OfferPaid, paid, again);
    await commands.delete(id, under.offers);
    await under.deliver(OfferPaid, { ...paid, paidAt: '2026-06-01T12:00:01.000Z' }, randomUUID());
    under.clock.set('2026-06-01T23:00:00Z');
    await under.announce();
    await under.deliver(OfferPaid, paid, randomUUID());
    expect((await eventsOf(id)).map((event) => event.name)).toEqual([
      'OfferCreated',
      'PaymentLinkIssued',
      'OfferPaymentApplied',
      'OfferDeleted',
    ]);
  });
});
