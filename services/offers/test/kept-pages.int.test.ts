/**
 * Deletions that billing did not answer: their caller is told that nothing was deleted (E7), so the page has to work, in
 * whatever order the requests and answers of this deletion and of others arrive.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import type { Call } from './fake-services.ts';
import { createdId } from './forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';
import { pay } from './payments.ts';

const STRANDED_MS = 31_000;
/** Time enough to come to the call that is held up; for so long its caller then waits. */
const SHORT_BUDGET = '3000';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
let id: number;
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  // Breakers look at the share of failures: with so many successes before each test they stay closed.
  for (let i = 0; i < 4; i += 1) await createdId(under);
  id = await createdId(under, { payment_method: 'E' });
});

const remove = (headers = {}): Promise<Answer> => under.call('DELETE', `/offers/${id}`, { headers });
const notDeleted = { status: 503, body: { return_code: 'E7' } };
const page = () => under.otherServices.billing.sales.get(id)?.state;
const sweep = () => under.offers.sweeper.recover();

async function status(): Promise<string> {
  return ((await under.admin('GET', `/admin/offers/${id}`)).body as { status: string }).status;
}

async function loseAnswerToDeletion(): Promise<void> {
  under.otherServices.spoilt = { close: 'status 500' };
  expect(await remove()).toMatchObject(notDeleted);
  under.otherServices.spoilt = {};
}

/** Whoever asks: the service's own rounds may come at any moment too. */
function failToKeep(offerId: number): void {
  under.otherServices.onCall = async ({ name, when, path }) => {
    if (name === 'keep' && when === 'asked' && path.includes(`/${offerId}/`)) throw new Error('not this one');
  };
}

/** Calls of this name stand still at this moment, from the first one on, until they are let go. */
function holdUp(name: Call['name'], when: Call['when']) {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  let isFirst = true;
  under.otherServices.onCall = async (call) => {
    if (call.name !== name) return;
    if (call.when === when && isFirst) {
      isFirst = false;
      reached.resolve();
      await goOn.promise;
    }
    if (call.when === 'done') over.resolve();
  };
  return { reached: reached.promise, goOn: goOn.resolve, over: over.promise };
}

describe('a deletion that billing did not answer', () => {
  it('leaves an offer whose page works again, and can be paid', async () => {
    await loseAnswerToDeletion();
    await sweep();
    expect(page()).toBe('open');
    await pay(under, id);
    expect(await status()).toBe('Scheduled');
  });

  it('is told to billing until it has heard, and then no more', async () => {
    const keeping = 'SELECT 1 FROM offers WHERE keeping_since IS NOT NULL';
    failToKeep(id);
    await loseAnswerToDeletion();
    await sweep();
    expect(page()).toBe('closed');
    under.otherServices.spoilt = { keep: 'html' };
    under.otherServices.onCall = async () => {};
    await sweep();
    expect(page()).toBe('open');
    expect(await under.postgres.query(keeping)).toHaveLength(1);
    under.otherServices.spoilt = {};
    await sweep();
    expect(await under.postgres.query(keeping)).toEqual([]);
  });

  it('holds up no other of which billing could be told', async () => {
    const first = id;
    failToKeep(first);
    await loseAnswerToDeletion();
    id = await createdId(under, { payment_method: 'E' });
    await loseAnswerToDeletion();
    await sweep();
    expect([under.otherServices.billing.sales.get(first)?.state, page()]).toEqual(['closed', 'open']);
  });

  it('is told although the news of an earlier one was still on its way', async () => {
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

  it('can be repeated at once: the offer is deleted, and its page stays closed', async () => {
    await loseAnswerToDeletion();
    expect((await remove()).status).toBe(200);
    await sweep();
    expect([page(), await status()]).toEqual(['closed', 'Deleted']);
  });

  it('closes nothing when its request reaches billing later than the news that the page stays', async () => {
    const close = holdUp('close', 'asked');
    expect(await remove({ [requestBudgetHeader]: SHORT_BUDGET })).toMatchObject(notDeleted);
    await close.reached;
    await sweep();
    close.goOn();
    await close.over;
    expect(page()).toBe('open');
  });

  it('opens nothing when the news comes later than the next deletion', async () => {
    const keep = holdUp('keep', 'asked');
    await loseAnswerToDeletion();
    const sweeping = sweep();
    await keep.reached;
    expect((await remove()).status).toBe(200);
    keep.goOn();
    await sweeping;
    expect([page(), await status()]).toEqual(['closed', 'Deleted']);
  });

  it('makes an answer to an earlier one worthless, for the page works again', async () => {
    const close = holdUp('close', 'done');
    const early = remove();
    await close.reached;
    await loseAnswerToDeletion();
    await sweep();
    close.goOn();
    expect(await early).toMatchObject(notDeleted);
    expect([page(), await status()]).toEqual(['open', 'Awaiting Payment']);
  });

  it('does not end a later one, which is finished though its request dies', async () => {
    const close = holdUp('close', 'asked');
    const early = remove({ [requestBudgetHeader]: SHORT_BUDGET });
    await close.reached;
    const late = 'UPDATE offers SET deleting_since = $2, deletions = deletions + 1 WHERE offer_id = $1';
    await under.postgres.query(late, [id, under.clock.now()]);
    expect(await early).toMatchObject(notDeleted);
    close.goOn();
    under.clock.advance(STRANDED_MS);
    await sweep();
    expect([page(), await status()]).toEqual(['closed', 'Deleted']);
  });
});
