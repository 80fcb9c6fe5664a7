/** Two commands at once, through two replicas: they run one after the other in either order, and nothing happens twice or is lost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import type { Offers } from '../../src/service.ts';
import { byCard, createdId, formOf, type Parts, startingNow } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { advance, askToAdvance, eventsOf, HOUR_S } from '../test-clock/clocks.ts';

const HOUR = 3_600_000;
/** Even, so that each of the two is sent first as often. A clock can be met at more moments. */
const [ROUNDS, ROUNDS_WITH_CLOCK] = [runs(2, 200), runs(6, 200)];

const under = offersUnderTest();
const replica = forAllTests(() => under.startReplica());

const advertise = (method: string, path: string, form?: () => FormData) => async (id: number, to: Offers) => {
  const o = { to, ...(form && { body: form() }) };
  const { status, body } = await under.call(method, `/offers/${id}${path}`, o);
  return status === 200 ? (body as { return_code: string }).return_code : `${status}`;
};
const disable = async (id: number) =>
  `${(await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' })).status}`;

/** @returns how far the clock is ahead then */
const advanceBy = (hours: number) => async (_id: number, to: Offers) =>
  `${(await advance(under, hours * HOUR_S, { to })).offset_seconds / HOUR_S} h`;

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
  'advance 1 h': advanceBy(1),
  'advance 12 h': advanceBy(12),
  'set the clock': async (_id: number, to: Offers) =>
    `${(await askToAdvance(under, { now: '2026-06-02T12:30:00Z' }, { to })).status}`,
  pay: async (id: number) => {
    const paid = offerPaid(under, id, { paidAt: '2026-06-01T12:30:00.000Z' });
    await under.deliver(OfferPaid, paid, randomUUID());
    return 'applied';
  },
};
type Command = keyof typeof commands;

type Race = {
  readonly of: readonly [Command, Command];
  readonly parts?: Parts;
  /** The offer is paused at this time, before the race. */
  readonly pausedAt?: string;
  readonly at?: string;
  /**
   * The possible pairs of answers, each with the events of the two (without `Offer`, but with the outcome of a payment), and with the most hours of Unused Time that they name:
   * `answer, answer | event, event | hours`.
   */
  readonly ends: readonly string[];
};

const races: readonly Race[] = [
  { of: ['pause', 'pause'], ends: ['S1, E3 | Paused | 0'] },
  { of: ['resume', 'resume'], pausedAt: '12:00', ends: ['S2, E4 | Resumed | 0'] },
  { of: ['pause', 'resume'], ends: ['S1, S2 | Paused, Resumed | 0', 'S1, E4 | Paused | 0'] },
  { of: ['delete', 'delete'], ends: ['S1, 401 | Deleted | 10'] },
  { of: ['delete', 'delete'], parts: byCard, ends: ['S1, 401 | Deleted | 0'] },
  { of: ['pause', 'delete'], ends: ['S1, S1 | Paused, Deleted | 10', '401, S1 | Deleted | 10'] },
  {
    of: ['resume', 'delete'],
    parts: startingNow,
    pausedAt: '12:00',
    at: '15:00',
    ends: ['S2, S1 | Resumed, Deleted | 11', '401, S1 | Deleted | 11'],
  },
  {
    of: ['resume', 'disable'],
    pausedAt: '12:00',
    ends: ['S2, 200 | Resumed, Disabled | 0', 'S2, 200 | Disabled, Resumed | 0'],
  },
  { of: ['edit', 'edit'], ends: ['S1, S1 | Updated, Updated | 0'] },
  { of: ['edit', 'delete'], ends: ['S1, S1 | Updated, Deleted | 10', '401, S1 | Deleted | 10'] },
  { of: ['edit', 'end'], at: '23:00', ends: ['409, announced | Ended | 0'] },
  { of: ['edit', 'disable'], ends: ['S1, 200 | Updated, Disabled | 0', 'S1, 200 | Disabled, Updated | 0'] },
  {
    of: ['edit', 'pay'],
    parts: byCard,
    ends: [
      'S1, applied | Updated, PaymentApplied scheduled | 0',
      'S1, applied | PaymentApplied scheduled, Updated | 0',
    ],
  },
  { of: ['disable', 'disable'], ends: ['200, 409 | Disabled | 0'] },
  { of: ['disable', 'delete'], ends: ['200, S1 | Disabled, Deleted | 10', '404, S1 | Deleted | 10'] },
  {
    of: ['delete', 'end'],
    parts: startingNow,
    pausedAt: '20:00',
    at: '23:00',
    // An offer that is deleted at its very end has ended too, in either order.
    ends: ['S1, announced | Ended, Deleted | 3', 'S1, announced | Deleted, Ended | 3'],
  },
  {
    of: ['resume', 'end'],
    parts: startingNow,
    pausedAt: '20:00',
    at: '23:00',
    ends: ['E2, announced | Ended | 3'],
  },
  { of: ['end', 'end'], at: '23:00', ends: ['announced, announced | Ended | 0'] },
  {
    of: ['pay', 'end'],
    parts: byCard,
    at: '23:00',
    ends: [
      'applied, announced | PaymentApplied ended, Ended | 10',
      'applied, announced | Ended, PaymentApplied ended | 10',
    ],
  },
  { of: ['pay', 'pay'], parts: byCard, ends: ['applied, applied | PaymentApplied scheduled | 0'] },
  {
    of: ['pay', 'pause'],
    parts: byCard,
    ends: [
      'applied, S1 | PaymentApplied scheduled, Paused | 0',
      'applied, E5 | PaymentApplied scheduled | 0',
    ],
  },
  // An advance of the test clock: the other one is before it, or after it.
  { of: ['advance 1 h', 'advance 1 h'], ends: ['1 h, 2 h |  | 0'] },
  { of: ['set the clock', 'set the clock'], ends: ['200, 400 | Ended | 0'] },
  {
    of: ['delete', 'advance 1 h'],
    parts: startingNow,
    ends: ['S1, 1 h | Deleted | 10.5', 'S1, 1 h | Deleted | 9.5'],
  },
  {
    of: ['pause', 'advance 12 h'],
    parts: startingNow,
    ends: ['S1, 12 h | Paused, Ended | 10.5', 'E2, 12 h | Ended | 0'],
  },
  {
    of: ['pay', 'advance 12 h'],
    parts: { ...startingNow, ...byCard },
    ends: [
      'applied, 12 h | PaymentApplied active, Ended | 0.5',
      // The clock was moved, and its ends were not announced yet.
      'applied, 12 h | PaymentApplied ended, Ended | 11',
      'applied, 12 h | Ended, PaymentApplied ended | 11',
    ],
  },
];

it.each(races.map((race) => [race.of.join(' and '), race] as const))(
  '%s at once run one after the other',
  async (_, { of, parts, pausedAt, at = '12:30', ends }) => {
    const [one, other] = of;
    const rounds = /advance|clock/.test(other) ? ROUNDS_WITH_CLOCK : ROUNDS;
    for (let round = 0; round < rounds; round += 1) {
      await startAfresh(under);
      const id = await createdId(under, parts);
      if (pausedAt !== undefined) {
        under.clock.set(`2026-06-01T${pausedAt}:00Z`);
        await commands.pause(id, under.offers);
      }
      const before = (await eventsOf(under, id)).length;
      under.clock.set(`2026-06-01T${at}:00Z`);
      const start = [() => commands[one](id, under.offers), () => commands[other](id, replica)];
      const inOrder = round % 2 === 0;
      const answers = await Promise.all((inOrder ? start : start.toReversed()).map((command) => command()));
      const given = inOrder ? answers : answers.toReversed();
      if (at === '23:00') await under.announce();
      const events = (await eventsOf(under, id))
        .slice(before)
        .filter(({ name }) => name !== 'OfferActivated');
      const names = events.map(({ name, data }) =>
        [name.replace('Offer', ''), data.outcome].filter(Boolean).join(' '),
      );
      const unusedMs = Math.max(0, ...events.map(({ data }) => Number(data.unusedMs ?? 0)));
      const allowed = [...ends, ...(one === other ? ends.map(swapped) : [])];
      expect(allowed).toContain([given.join(', '), names.join(', '), unusedMs / HOUR].join(' | '));
      // The last edit counts, and what follows it has its title.
      const title = events.at(-1)?.data.title;
      if (title !== undefined) expect(await under.offer(id)).toMatchObject({ title });
    }
  },
);

/** Of two equal commands, either may be the first. */
function swapped(end: string): string {
  return end.replace(/^([^|]*), ([^|]*) \|/, '$2, $1 |');
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
    const before = await eventsOf(under, id);
    await expect(under.deliver(OfferPaid, offerPaid(under, id, facts))).rejects.toThrow(/no offer/);
    expect(await eventsOf(under, id)).toEqual(before);
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
    expect((await eventsOf(under, id)).map((event) => event.name)).toEqual([
      'OfferCreated',
      'PaymentLinkIssued',
      'OfferPaymentApplied',
      'OfferDeleted',
    ]);
  });
});
