/** POST /offers/{offer_id}/resume */
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

function resume(id: number | string, caller = {}): Promise<Answer> {
  return under.call('POST', `/offers/${id}/resume`, { caller });
}

async function pausedId(parts = {}): Promise<number> {
  const id = await createdId(under, parts);
  await under.call('POST', `/offers/${id}/pause`);
  return id;
}

async function statusOf(id: number): Promise<unknown> {
  return ((await under.admin('GET', `/admin/offers/${id}`)).body as { status: string }).status;
}

function refusal(code: string, status: number, message: string) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}

describe('S2 200', () => {
  it('resumes a paused offer, tells the others, and the pause stays unused time', async () => {
    const id = await pausedId(startingNow);
    under.clock.advance(90_000);
    await under.clearEvents();
    const answer = await resume(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ return_code: 'S2', message: 'Offer has been resumed' });
    expect(await under.events()).toMatchObject([{ name: 'OfferResumed', data: { offerId: id } }]);
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ unusedMs: 90_000 });
  });

  it('gives Scheduled before the start and Active after it', async () => {
    const early = await pausedId();
    const late = await pausedId();
    await resume(early);
    expect(await statusOf(early)).toBe('Scheduled');
    under.clock.set('2026-06-01T14:00:00Z');
    await resume(late);
    expect(await statusOf(late)).toBe('Active');
  });
});

describe('E2 200', () => {
  it('when the offer has ended, though it was paused', async () => {
    const id = await pausedId();
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await resume(id)).toMatchObject(refusal('E2', 200, 'Offer has ended'));
  });
});

describe('E4 200', () => {
  it('when the offer is running or scheduled', async () => {
    expect(await resume(await createdId(under, startingNow))).toMatchObject(
      refusal('E4', 200, 'Offer is already running'),
    );
    expect(await resume(await createdId(under))).toMatchObject({ body: { return_code: 'E4' } });
  });
});

describe('E5 200', () => {
  it('when the offer awaits payment', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    expect(await resume(id)).toMatchObject(refusal('E5', 200, 'Offer is awaiting payment'));
  });
});

describe('E1 401', () => {
  it("for an id that is none, another organisation's, or of the other mode", async () => {
    const notFound = refusal('E1', 401, 'Offer not found');
    const id = await pausedId();
    expect(await resume('x')).toMatchObject(notFound);
    expect(await resume(id, { organisationId: 2 })).toMatchObject(notFound);
    expect(await resume(id, { mode: 'LIVE' })).toMatchObject(notFound);
  });
});
