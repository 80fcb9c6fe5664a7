/** Random lives of offers as advertiser, payer and admin see them from outside, compared with the model of the specification. */
import { expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { fc, runs } from '@offer-ads/testing/profile';
import type { PaymentPage } from '../../src/domain/lifecycle/lifecycle.ts';
import type { OfferState } from '../../src/domain/offer.ts';
import { createdId } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { LifecycleModel } from './lifecycle-model.ts';
import { type Step, type Story, stories } from './stories.ts';

const under = offersUnderTest();

/** The tables of codes, by the offer's state. */
const codes: Record<'pause' | 'resume', Record<OfferState, string>> = {
  pause: {
    Scheduled: 'S1',
    Active: 'S1',
    Paused: 'E3',
    'Awaiting Payment': 'E5',
    Ended: 'E2',
    Deleted: 'E1',
  },
  resume: {
    Scheduled: 'E4',
    Active: 'E4',
    Paused: 'S2',
    'Awaiting Payment': 'E5',
    Ended: 'E2',
    Deleted: 'E1',
  },
};
/** The status of a deletion of an offer that awaits payment, by billing's answer about the page. */
const deletions: Record<PaymentPage, number> = { closed: 200, paid: 409, unknown: 503, unanswered: 503 };
const filters: Partial<Record<OfferState, string>> = {
  'Awaiting Payment': 'awaiting_payment',
  Active: 'active',
  Paused: 'paused',
  Ended: 'ended',
};

type Life = { readonly id: number; readonly byCard: boolean; readonly model: LifecycleModel };

async function createOffer({ offer, paid }: Story): Promise<Life> {
  const { createdAt, startAt, expiryAt } = offer;
  const byCard = paid !== 'at once';
  await startAfresh(under);
  under.clock.set(createdAt);
  const model = new LifecycleModel({ created: +createdAt, start: +startAt, expiry: +expiryAt });
  if (paid !== 'later') model.try('payment', +createdAt);
  if (paid === 'before it is shown') under.otherServices.billing.onSold = payFor;
  const times = { start_datetime: startAt.toISOString(), expiry_datetime: expiryAt.toISOString() };
  const id = await createdId(under, { ...times, payment_method: byCard ? 'E' : 'B' });
  return { id, byCard, model };
}

async function payFor(id: number): Promise<void> {
  const sale = under.otherServices.billing.sales.get(id);
  if (sale !== undefined) sale.state = 'paid';
  await under.deliver(OfferPaid, offerPaid(under, id));
}

/** Sends the command, and expects the answer that fits the model's state. */
async function run({ id, byCard, model }: Life, { command, at, page }: Step): Promise<void> {
  under.clock.set(new Date(at));
  const state = model.stateAt(at);
  switch (command) {
    case 'pause':
    case 'resume': {
      const answer = await under.call('POST', `/offers/${id}/${command}`);
      expect(answer.body).toMatchObject({ return_code: codes[command][state] });
      model.try(command, at);
      return;
    }
    case 'disable':
    case 'enable': {
      const refused = state === 'Deleted' ? 404 : 409;
      const { status } = await under.admin('POST', `/admin/offers/${id}/${command}`);
      expect(status).toBe(model.try(command, at) ? 200 : refused);
      return;
    }
    case 'pay':
      if (!byCard) return;
      await payFor(id);
      model.try('payment', at);
      return;
    case 'delete': {
      const sale = under.otherServices.billing.sales.get(id);
      if (state === 'Awaiting Payment' && sale !== undefined) sale.state = page === 'paid' ? 'paid' : 'open';
      under.otherServices.billing.closing = page === 'unknown' ? 'unknown' : 'works';
      const { status } = await under.call('DELETE', `/offers/${id}`);
      const expected = state === 'Awaiting Payment' ? deletions[page] : 200;
      expect(status).toBe(state === 'Deleted' ? 401 : expected);
      if (status === 200) model.try('deletion', at);
      return;
    }
    case 'announce the end':
      await under.offers.sweeper.announce();
  }
}

function seenByModel({ model }: Life, at: number) {
  const { start, expiry } = model.schedule;
  const state = model.stateAt(at);
  return {
    state,
    listed: state === 'Deleted' ? [] : [state],
    filtered: Object.entries(filters).flatMap(([of, filter]) => (of === state ? [filter] : [])),
    analytics: state === 'Deleted' ? 401 : state,
    unusedMs: model.unusedMs(at),
    scheduledMs: expiry - start,
  };
}

/** The same facts from every endpoint that shows them. */
async function seenFromOutside({ id }: Life) {
  const { status: state, unusedMs, scheduledMs } = await under.offer(id);
  const list = async (query: string) => {
    const { body } = await under.call('GET', `/offers?environment=test${query}`);
    return (body as { data: { offer_status: string }[] }).data.map((offer) => offer.offer_status);
  };
  const filtered: string[] = [];
  for (const filter of Object.values(filters))
    if ((await list(`&offer_status=${filter}`)).length > 0) filtered.push(filter);
  const { status, body } = await under.call('GET', `/offers/${id}/analytics?interval=all`);
  const analytics = status === 200 ? (body as { status: string }).status : status;
  return { state, listed: await list(''), filtered, analytics, unusedMs, scheduledMs };
}

it(
  'any life of an offer has the codes, states, lists and Unused Time of the model, at every step and at its end',
  async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const life = await createOffer(story);
        let last = +story.offer.createdAt;
        expect(await seenFromOutside(life)).toEqual(seenByModel(life, last));
        for (const step of story.steps) {
          await run(life, step);
          last = step.at;
          expect(await under.offer(life.id)).toMatchObject({
            status: life.model.stateAt(last),
            unusedMs: life.model.unusedMs(last),
          });
        }
        const ends = [last, life.model.schedule.expiry - 1, life.model.schedule.expiry];
        for (const at of ends.filter((at) => at >= last)) {
          under.clock.set(new Date(at));
          expect([at, await seenFromOutside(life)]).toEqual([at, seenByModel(life, at)]);
        }
      }),
      { numRuns: runs(8, 300) },
    );
  },
  runs(120_000, 900_000),
);
