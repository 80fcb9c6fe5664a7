/** POST /offers/{offer_id}/pause */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createdId, startingNow } from './forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.clock.set('2026-06-01T12:00:00Z');
});

function pause(id: number | string, caller = {}): Promise<Answer> {
  return under.call('POST', `/offers/${id}/pause`, { caller });
}

function refusal(code: string, status: number, message: string) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}

describe('S1 200', () => {
  it('pauses a running offer and tells the others', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    const answer = await pause(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ return_code: 'S1', message: 'Offer has been paused' });
    expect(await under.events()).toMatchObject([
      { name: 'OfferPaused', data: { offerId: id, pausedAt: '2026-06-01T12:00:00.000Z' } },
    ]);
  });

  it('pauses a scheduled offer', async () => {
    expect((await pause(await createdId(under))).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E2 200', () => {
  it('when the offer has ended', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await pause(id)).toMatchObject(refusal('E2', 200, 'Offer has ended'));
  });
});

describe('E3 200', () => {
  it('when the offer is already paused, also for one of two pauses at once', async () => {
    const id = await createdId(under, startingNow);
    const both = await Promise.all([pause(id), pause(id)]);
    expect(both.map(({ body }) => (body as { return_code: string }).return_code).toSorted()).toEqual([
      'E3',
      'S1',
    ]);
    expect(await pause(id)).toMatchObject(refusal('E3', 200, 'Offer is already paused'));
  });
});

describe('E5 200', () => {
  it('when the offer awaits payment', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    expect(await pause(id)).toMatchObject(refusal('E5', 200, 'Offer is awaiting payment'));
  });
});

describe('E1 401', () => {
  const notFound = refusal('E1', 401, 'Offer not found');

  it.each(['x', '0', '1.5', '99999999999999999999', '424242'])('for the id %s', async (id) => {
    expect(await pause(id)).toMatchObject(notFound);
  });

  it("for another organisation's offer, one of the other mode, and a deleted one", async () => {
    const id = await createdId(under, startingNow);
    expect(await pause(id, { organisationId: 2 })).toMatchObject(notFound);
    expect(await pause(id, { mode: 'LIVE' })).toMatchObject(notFound);
    await under.call('DELETE', `/offers/${id}`);
    expect(await pause(id)).toMatchObject(notFound);
  });
});
