/**
 * Deletions against payments, deletions whose request died, and deletions that billing did not answer. These fail with E7, so the page has
 * to work afterwards, in whatever order the requests and answers of this deletion and of others arrive.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { keepBreakersClosed } from '../creation/creating.ts';
import type { Call } from '../fake-services.ts';
import { byCard, createdId } from '../forms.ts';
import { type Answer, offersUnderTest } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { offerPaid, pay } from '../payments.ts';

const HOUR = 3_600_000;
/** Longer than any request may take. */
const DELETION_ABANDONED_MS = 31_000;
/** The caller waits this long for a call that does not return. */
const SHORT_BUDGET = { [requestBudgetHeader]: '1500' };

const under = offersUnderTest();
let id: number;
beforeEach(async () => {
  await keepBreakersClosed(under);
  id = await createdId(under, byCard);
});

const remove = (headers = {}): Promise<Answer> => under.call('DELETE', `/offers/${id}`, { headers });
const failed = { status: 503, body: { return_code: 'E7' } };
const page = (offerId = id) => under.otherServices.billing.sales.get(offerId)?.state;
const status = async () => String((await under.offer(id))['status']);
const deletions = async () => (await under.events()).filter(({ name }) => name === 'OfferDeleted');

const sweep = () => under.sweepAfter(0);

/** What a process leaves behind that died between closing the page and recording it. */
async function abandonDeletion(): Promise<void> {
  const begun = 'UPDATE offers SET deleting_since = $2, deletions = deletions + 1 WHERE offer_id = $1';
  await under.postgres.query(begun, [id, under.clock.now()]);
}

describe('a deletion and a payment at once', () => {
  async function payIfOpen(): Promise<'paid' | 'page closed'> {
    if (page() !== 'open') return 'page closed';
    await pay(under, id);
    return 'paid';
  }

  it('end in one of three ways: deleted and never paid, deleted and credited, or paid and not deleted', async () => {
    for (let round = 0; round < runs(10, 500); round += 1) {
      id = await createdId(under, byCard);
      const inOrder = round % 2 === 0;
      const first = inOrder ? payIfOpen() : remove();
      const second = inOrder ? remove() : payIfOpen();
      const [payment, deletion] = (await Promise.all(inOrder ? [first, second] : [second, first])) as [
        string,
        Answer,
      ];
      const event = (await deletions()).find(({ data }) => data.offerId === id)?.data;
      const end = [payment, deletion.status, await status(), event?.paid, event?.unusedMs];
      expect([
        ['page closed', 200, 'Deleted', false, 0],
        ['paid', 200, 'Deleted', true, 10 * HOUR],
        ['paid', 409, 'Scheduled', undefined, undefined],
      ]).toContainEqual(end);
    }
  });

  it('keep the offer when the payment is applied while the page is being closed', async () => {
    await abandonDeletion();
    await pay(under, id);
    await under.sweepAfter(DELETION_ABANDONED_MS);
    expect(await status()).toBe('Scheduled');
  });
});

it('a payment of a deleted offer never revives it and is wholly unused', async () => {
  await remove();
  await under.clearEvents();
  await under.deliver(OfferPaid, offerPaid(under, id));
  expect(await status()).toBe('Deleted');
  expect(await under.events()).toMatchObject([
    { name: 'OfferPaymentApplied', data: { outcome: 'deleted', unusedMs: 10 * HOUR } },
  ]);
});

describe('a deletion whose request died', () => {
  it('is left to its request for 30 seconds, then finished by the sweep: the page is closed, the offer deleted', async () => {
    await abandonDeletion();
    await under.sweepAfter(29_000);
    expect(await status()).toBe('Awaiting Payment');
    await under.sweepAfter(2_000);
    expect([page(), await status(), (await deletions()).length]).toEqual(['closed', 'Deleted', 1]);
  });

  it('is finished by the sweep though the clock was set back meanwhile', async () => {
    await abandonDeletion();
    await under.sweepAfter(-HOUR);
    expect(await status()).toBe('Deleted');
  });

  it('is repeated until billing can tell whether the page is closed', async () => {
    await abandonDeletion();
    under.otherServices.billing.closing = 'unknown';
    await under.sweepAfter(DELETION_ABANDONED_MS);
    expect(await status()).toBe('Awaiting Payment');
    under.otherServices.billing.closing = 'works';
    await sweep();
    expect(await status()).toBe('Deleted');
  });

  it('is not repeated when the offer was paid and deleted meanwhile', async () => {
    await abandonDeletion();
    await pay(under, id);
    await remove();
    expect(await status()).toBe('Deleted');
    expect(await under.count('offers WHERE deleting_since IS NOT NULL')).toBe(0);
  });
});

describe('a deletion that fails', () => {
  async function loseAnswerToDeletion(): Promise<void> {
    under.otherServices.spoilt = { close: 'status 500' };
    expect(await remove()).toMatchObject(failed);
    under.otherServices.spoilt = {};
  }

  /** Breaks every message to billing that the page of this offer stays open, also those of the sweeper's own runs. */
  function breakKeep(offerId: number): void {
    under.otherServices.onCall = async ({ name, when, path }) => {
      if (name === 'keep' && when === 'asked' && path.includes(`/${offerId}/`)) throw new Error('broken');
    };
  }

  /** The first call of this name waits at this moment. `over`: one of them was done. */
  function holdUp(name: Call['name'], when: Call['when']) {
    const point = pausePoint();
    const over = Promise.withResolvers<void>();
    let isFirst = true;
    under.otherServices.onCall = async (call) => {
      if (call.name !== name) return;
      if (call.when === when && isFirst) {
        isFirst = false;
        await point.step();
      }
      if (call.when === 'done') over.resolve();
    };
    return { ...point, over: over.promise };
  }

  it('leaves the offer and its page as they were when it cannot be committed in time, although the page was closed', async () => {
    const [budgetMs, sinceMs] = [1_000, performance.now()];
    under.otherServices.onCall = async ({ name, when }) => {
      if (name !== 'close' || when !== 'done') return;
      await eventually(() => expect(performance.now() - sinceMs).toBeGreaterThan(budgetMs));
    };
    expect(await remove({ 'x-request-budget-ms': String(budgetMs) })).toMatchObject(failed);
    await sweep();
    expect([page(), await status(), await deletions()]).toEqual(['open', 'Awaiting Payment', []]);
  });

  it('is reported to billing until billing has confirmed it', async () => {
    const unconfirmed = () => under.count('offers WHERE keeping_since IS NOT NULL');
    breakKeep(id);
    await loseAnswerToDeletion();
    await sweep();
    expect(page()).toBe('closed');
    under.otherServices.spoilt = { keep: 'wrong shape' };
    under.otherServices.onCall = async () => {};
    await sweep();
    expect([page(), await unconfirmed()]).toEqual(['open', 1]);
    under.otherServices.spoilt = {};
    await sweep();
    expect(await unconfirmed()).toBe(0);
  });

  it('does not delay the report of another one', async () => {
    const first = id;
    breakKeep(first);
    await loseAnswerToDeletion();
    id = await createdId(under, byCard);
    await loseAnswerToDeletion();
    await sweep();
    expect([page(first), page()]).toEqual(['closed', 'open']);
  });

  it('is reported although the report of an earlier one was still on its way', async () => {
    const keep = holdUp('keep', 'done');
    await loseAnswerToDeletion();
    const sweeping = sweep();
    await keep.reached;
    await loseAnswerToDeletion();
    keep.goOn();
    await sweeping;
    await sweep();
    expect(page()).toBe('open');
  });

  it('closes nothing when its request reaches billing after the report that the page stays open', async () => {
    const close = holdUp('close', 'asked');
    expect(await remove(SHORT_BUDGET)).toMatchObject(failed);
    await close.reached;
    await sweep();
    close.goOn();
    await close.over;
    expect(page()).toBe('open');
  });

  it('opens nothing when its report reaches billing after the next deletion', async () => {
    const keep = holdUp('keep', 'asked');
    await loseAnswerToDeletion();
    const sweeping = sweep();
    await keep.reached;
    expect((await remove()).status).toBe(200);
    keep.goOn();
    await sweeping;
    expect([page(), await status()]).toEqual(['closed', 'Deleted']);
  });

  it('makes an earlier deletion fail too, because the page works again', async () => {
    const close = holdUp('close', 'done');
    const early = remove();
    await close.reached;
    await loseAnswerToDeletion();
    await sweep();
    close.goOn();
    expect(await early).toMatchObject(failed);
    expect([page(), await status()]).toEqual(['open', 'Awaiting Payment']);
  });

  it('does not end a later one, which the sweep finishes though its request died', async () => {
    const close = holdUp('close', 'asked');
    const early = remove(SHORT_BUDGET);
    await close.reached;
    await abandonDeletion();
    expect(await early).toMatchObject(failed);
    close.goOn();
    await under.sweepAfter(DELETION_ABANDONED_MS);
    expect([page(), await status()]).toEqual(['closed', 'Deleted']);
  });
});
