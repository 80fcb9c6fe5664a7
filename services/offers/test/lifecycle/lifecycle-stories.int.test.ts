/** Random lives of offers as advertiser, payer and admin see them from outside, beside the model of the specification. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { fc, runs } from '@offer-ads/testing/profile';
import type { PaymentPage } from '../../src/domain/lifecycle/lifecycle.ts';
import type { OfferState } from '../../src/domain/offer.ts';
import { createdId } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { LifecycleModel } from './lifecycle-model.ts';
import { type Step, type Story, stories } from './stories.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

/** The tables of codes, by what the offer is. */
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
/** Of an offer that awaits payment, by what becomes of its page. */
const deletions: Record<PaymentPage, number> = { closed: 200, paid: 409, unknown: 503, unanswered: 503 };
const filters: Partial<Record<OfferState, string>> = {
  'Awaiting Payment': 'awaiting_payment',
  Active: 'active',
  Paused: 'paused',
  Ended: 'ended',
};

type Life = {
  readonly id: number;
  readonly caller: { readonly organisationId: number };
  readonly byCard: boolean;
  readonly model: LifecycleModel;
};

/** Every story is of an organisation of its own, so that a list holds one offer at most. */
let organisationId = 1_000;

async function born({ offer, paid }: Story): Promise<Life> {
  const { createdAt, startAt, expiryAt } = offer;
  organisationId += 1;
  const caller = { organisationId };
  const byCard = paid !== 'at once';
  under.otherServices.reset();
  under.clock.set(createdAt);
  const model = new LifecycleModel({ created: +createdAt, start: +startAt, expiry: +expiryAt });
  if (paid !== 'later') model.try('payment', +createdAt);
  under.otherServices.billing.onSold = async (id) => {
    if (paid === 'before it is shown') await payFor({ id, caller });
  };
  const times = { start_datetime: startAt.toISOString(), expiry_datetime: expiryAt.toISOString() };
  const id = await createdId(under, { ...times, payment_method: byCard ? 'E' : 'B' }, { caller });
  return { id, caller, byCard, model };
}

async function payFor({ id, caller }: Pick<Life, 'id' | 'caller'>): Promise<void> {
  const sale = under.otherServices.billing.sales.get(id);
  if (sale !== undefined) sale.state = 'paid';
  await under.deliver(OfferPaid, offerPaid(under, id, caller));
}

/** Does it, and expects the answer that the model's state asks for. */
async function live(life: Life, { command, at, page }: Step): Promise<void> {
  const { id, caller, model } = life;
  under.clock.set(new Date(at));
  const state = model.stateAt(at);
  switch (command) {
    case 'pause':
    case 'resume': {
      const answer = await under.call('POST', `/offers/${id}/${command}`, { caller });
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
      if (!life.byCard) return;
      await payFor(life);
      model.try('payment', at);
      return;
    case 'delete': {
      const sale = under.otherServices.billing.sales.get(id);
      if (state === 'Awaiting Payment' && sale !== undefined) sale.state = page === 'paid' ? 'paid' : 'open';
      under.otherServices.billing.closing = page === 'unknown' ? 'unknown' : 'works';
      const { status } = await under.call('DELETE', `/offers/${id}`, { caller });
      const awaited = state === 'Awaiting Payment' ? deletions[page] : 200;
      expect(status).toBe(state === 'Deleted' ? 401 : awaited);
      if (status === 200) model.try('deletion', at);
      return;
    }
    case 'tell the end':
      await under.offers.sweeper.announce();
  }
}

/** What the model says of an instant. */
function modelled({ model }: Life, at: number) {
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

/** What the service says of the same, by every way that there is to ask. */
async function seen({ id, caller }: Life) {
  const admin = (await under.admin('GET', `/admin/offers/${id}`)).body as Record<string, unknown>;
  const list = async (query: string) => {
    const { body } = await under.call('GET', `/offers?environment=test${query}`, { caller });
    return (body as { data: { offer_status: string }[] }).data.map((offer) => offer.offer_status);
  };
  const filtered: string[] = [];
  for (const filter of Object.values(filters))
    if ((await list(`&offer_status=${filter}`)).length > 0) filtered.push(filter);
  const analytics = await under.call('GET', `/offers/${id}/analytics?interval=all`, { caller });
  return {
    state: admin['status'],
    listed: await list(''),
    filtered,
    analytics: analytics.status === 200 ? (analytics.body as { status: string }).status : analytics.status,
    unusedMs: admin['unusedMs'],
    scheduledMs: admin['scheduledMs'],
  };
}

describe('any life of an offer, seen from outside', () => {
  it(
    "has the codes, states, lists and unused time of the model's, at every step and at its end",
    async () => {
      await fc.assert(
        fc.asyncProperty(stories, async (story) => {
          const life = await born(story);
          expect(await seen(life)).toEqual(modelled(life, +story.offer.createdAt));
          let last = +story.offer.createdAt;
          for (const step of story.steps) {
            await live(life, step);
            last = step.at;
            expect((await under.admin('GET', `/admin/offers/${life.id}`)).body).toMatchObject({
              status: life.model.stateAt(last),
              unusedMs: life.model.unusedMs(last),
            });
          }
          const ends = [last, life.model.schedule.expiry - 1, life.model.schedule.expiry];
          for (const at of ends.filter((at) => at >= last)) {
            under.clock.set(new Date(at));
            expect([at, await seen(life)]).toEqual([at, modelled(life, at)]);
          }
        }),
        { numRuns: runs(8, 300) },
      );
    },
    runs(120_000, 900_000),
  );
});
