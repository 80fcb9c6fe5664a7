/** Random lives of TEST offers: played by a test clock they are what they are by the real clock, event by event. */
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { fc, runs } from '@offer-ads/testing/profile';
import { byCard, createdId } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { advance, eventsOf, HOUR_S } from './clocks.ts';

const under = offersUnderTest();
const replica = forAllTests(() => under.startReplica());

const commands = ['pause', 'resume', 'disable', 'enable', 'pay', 'delete', 'wait'] as const;
type Step = { readonly hours: number; readonly command: (typeof commands)[number] };
type Story = { readonly isByCard: boolean; readonly steps: readonly Step[] };

/** The offer runs from hour 1 to hour 11. */
const stories: fc.Arbitrary<Story> = fc.record({
  isByCard: fc.boolean(),
  steps: fc.array(
    fc.record({ hours: fc.integer({ min: 0, max: 4 }), command: fc.constantFrom(...commands) }),
    {
      minLength: 1,
      maxLength: 7,
    },
  ),
});

const wait = (hours: number): Step => ({ hours, command: 'wait' });
/** In every run: over start and end, one after the other and both at once; what is credited of a pause; a payment after the end. */
const examples: readonly Story[] = [
  { isByCard: false, steps: [wait(1), wait(10)] },
  { isByCard: false, steps: [wait(24)] },
  {
    isByCard: false,
    steps: [
      { hours: 2, command: 'pause' },
      { hours: 2, command: 'resume' },
      { hours: 1, command: 'delete' },
    ],
  },
  { isByCard: true, steps: [{ hours: 24, command: 'pay' }] },
];

/** @returns everything that callers and other services learn, without ids, and without addresses, whose expiry is real */
async function play({ isByCard, steps }: Story, pass: (hours: number) => Promise<void>) {
  await startAfresh(under);
  const id = await createdId(under, isByCard ? byCard : {});
  const seen: unknown[] = [];
  for (const { hours, command } of [...steps, { hours: 12, command: 'wait' } as const]) {
    if (hours > 0) await pass(hours);
    seen.push(await take(id, command));
    const listed = await under.call('GET', '/offers?environment=test');
    const credit = await under.call('POST', `/offers/${id}/credit-estimate`);
    seen.push(listed.body, credit.status === 200 ? credit.body : credit.status);
  }
  return JSON.parse(
    JSON.stringify([seen, await eventsOf(under, id)]).replaceAll(
      /"(offer_id|offerId)":\d+|"(image|imageUrl|paymentUrl|payment_url|paidAt)":"[^"]*"/g,
      '"left out":0',
    ),
  ) as unknown;
}

async function take(id: number, command: Step['command']): Promise<unknown> {
  switch (command) {
    case 'wait':
      return null;
    case 'pay':
      return under.deliver(OfferPaid, offerPaid(under, id)).catch(() => 'not of this offer');
    case 'disable':
      return (await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'Not as agreed' })).status;
    case 'enable':
      return (await under.admin('POST', `/admin/offers/${id}/enable`)).status;
    case 'delete':
      return (await under.call('DELETE', `/offers/${id}`)).body;
    case 'pause':
    case 'resume':
      return (await under.call('POST', `/offers/${id}/${command}`)).body;
  }
}

async function byTestClock(hours: number): Promise<void> {
  await advance(under, hours * HOUR_S, { to: hours % 2 === 0 ? replica : under.offers });
}

/** Hour by hour, so that each start and end is announced in its turn. */
async function byRealClock(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    under.clock.advance(HOUR_S * 1_000);
    await under.announce();
  }
}

describe('a life of an offer', () => {
  it('is the same by the test clock as by the real clock: replies, listings, credits and events', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        expect(await play(story, byTestClock)).toEqual(await play(story, byRealClock));
      }),
      { numRuns: runs(12, 500), examples: examples.map((story) => [story]) },
    );
  }, 600_000);
});
