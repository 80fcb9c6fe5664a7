/** DELETE /offers/{offer_id} */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createdId, startingNow } from './forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';
import { pay } from './payments.ts';

const HOUR = 3_600_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.neighbours.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  await under.clearEvents();
});

function remove(id: number | string, caller = {}): Promise<Answer> {
  return under.call('DELETE', `/offers/${id}`, { caller });
}

function refusal(code: string, status: number, message: RegExp) {
  return {
    status,
    body: { return_code: code, status: 'Error', code: status, message: expect.stringMatching(message) },
  };
}

const success = { status: 200, body: { return_code: 'S1', message: 'Offer has been deleted' } };

async function deletionOf(id: number): Promise<unknown> {
  return (await under.events()).find((event) => event.name === 'OfferDeleted' && event.data.offerId === id)
    ?.data;
}

async function isListed(id: number): Promise<boolean> {
  const { body } = await under.call('GET', '/offers?environment=test&limit=100');
  return (body as { data: { offer_id: number }[] }).data.some((offer) => offer.offer_id === id);
}

describe('S1 200', () => {
  it('credits a scheduled offer in full', async () => {
    const id = await createdId(under);
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ paid: true, unusedMs: 10 * HOUR, scheduledMs: 10 * HOUR });
    expect(await isListed(id)).toBe(false);
  });

  it('credits a running offer from now to its end, and what it was paused', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T15:00:00Z');
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ unusedMs: 9 * HOUR, scheduledMs: 11 * HOUR });
  });

  it('hides an ended offer and credits nothing more', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-02T12:00:00Z');
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ unusedMs: 0 });
  });

  it('closes the page of an unpaid offer first', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    expect(await remove(id)).toMatchObject(success);
    expect(under.neighbours.billing.sales.get(id)).toMatchObject({ state: 'closed' });
    expect(await deletionOf(id)).toMatchObject({ paid: false, unusedMs: 0 });
  });

  it('is answered once of several at once', async () => {
    for (const method of ['B', 'E']) {
      const id = await createdId(under, { payment_method: method });
      const answers = await Promise.all([remove(id), remove(id), remove(id)]);
      expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '401', '401']);
    }
  });
});

describe('E6 409', () => {
  it('when the payment has just been completed; nothing is deleted', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.neighbours.billing.pay(id);
    expect(await remove(id)).toMatchObject(refusal('E6', 409, /just been completed/));
    expect(await isListed(id)).toBe(true);
    expect(await deletionOf(id)).toBeUndefined();
  });

  it('no more once the payment has arrived: the paid offer is deleted and credited', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    await pay(under, id);
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ paid: true, unusedMs: 10 * HOUR });
  });
});

describe('E7 503', () => {
  it('when the page cannot be closed; nothing is deleted, and the offer can still be paid', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.neighbours.billing.closing = 'unknown';
    const answer = await remove(id);
    expect(answer).toMatchObject(refusal('E7', 503, /could not be closed/));
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    await pay(under, id);
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ status: 'Scheduled' });
  });

  it('when billing does not answer, and deleting again finds out', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.neighbours.billing.breaks.afterWork = 2;
    expect(await remove(id)).toMatchObject({ status: 503, body: { return_code: 'E7' } });
    expect(await isListed(id)).toBe(true);
    expect(await remove(id)).toMatchObject(success);
  });
});

describe('E1 401', () => {
  it.each(['x', '0', '99999999999'])('for the id %s', async (id) => {
    expect(await remove(id)).toMatchObject(refusal('E1', 401, /^Offer not found$/));
  });

  it("for another organisation's offer, one of the other mode, and a deleted one", async () => {
    const id = await createdId(under);
    expect((await remove(id, { organisationId: 2 })).status).toBe(401);
    expect((await remove(id, { mode: 'LIVE' })).status).toBe(401);
    expect(await isListed(id)).toBe(true);
    await remove(id);
    expect(await remove(id)).toMatchObject(refusal('E1', 401, /^Offer not found$/));
  });
});
