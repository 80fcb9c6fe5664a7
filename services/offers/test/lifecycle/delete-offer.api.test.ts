/** DELETE /offers/{offer_id}, row by row of the specification. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteReply } from '@offer-ads/contracts/public/api';
import { create, createdId, startingNow } from '../forms.ts';
import { idsOfNoOffer } from '../no-offers.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { pay } from '../payments.ts';

const HOUR = 3_600_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  await under.clearEvents();
});

function remove(id: number | string, caller = {}): Promise<Answer> {
  return under.call('DELETE', `/offers/${id}`, { caller });
}

function refusal(code: string, status: number, message: string) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}
const justPaid = refusal('E6', 409, 'The payment has just been completed, the offer was not deleted');
const notClosed = refusal('E7', 503, 'The payment page could not be closed, the offer was not deleted');
const notFound = refusal('E1', 401, 'Offer not found');

async function standingOf(id: number): Promise<Record<string, unknown>> {
  return (await under.admin('GET', `/admin/offers/${id}`)).body as Record<string, unknown>;
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
  it('says so in exactly these words', async () => {
    const { status, body } = await remove(await createdId(under));
    expect({ status, body }).toEqual(success);
    expect(deleteReply.parse(body)).toEqual(body);
  });

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

  it('deletes a paused offer and one that an admin has disabled, each lost moment counted once', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T13:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    under.clock.set('2026-06-01T14:00:00Z');
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ unusedMs: 10 * HOUR, scheduledMs: 11 * HOUR });
  });

  it('deletes in LIVE as in TEST', async () => {
    const caller = { mode: 'LIVE' as const };
    const id = await createdId(under, { environment: 'LIVE' }, { caller });
    expect(await remove(id, caller)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ mode: 'LIVE', unusedMs: 10 * HOUR });
  });

  it('deletes an unpaid offer that has ended without asking for its page, which its end closes', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.clock.set('2026-06-01T23:00:00Z');
    under.otherServices.billing.closing = 'unknown';
    expect(await remove(id)).toMatchObject(success);
    expect(await deletionOf(id)).toMatchObject({ paid: false });
  });

  it('makes room in the quota', async () => {
    const caller = { organisationId: 60, quota: { perOrganisation: 1, perPerson: 1 } };
    const id = await createdId(under, {}, { caller });
    expect((await create(under, {}, { caller })).body).toMatchObject({ return_code: 'E4' });
    await remove(id, caller);
    expect((await create(under, {}, { caller })).body).toMatchObject({ return_code: 'S1' });
  });

  it('takes no body and no parameters, and minds none', async () => {
    const headers = { 'content-type': 'application/json' };
    const id = await createdId(under);
    const path = `/offers/${id}?environment=LIVE`;
    expect(await under.call('DELETE', path, { body: '{"a":', headers })).toMatchObject(success);
  });

  it('closes the page of an unpaid offer first', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    expect(await remove(id)).toMatchObject(success);
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'closed' });
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
    under.otherServices.billing.pay(id);
    expect(await remove(id)).toMatchObject(justPaid);
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
    under.otherServices.billing.closing = 'unknown';
    const answer = await remove(id);
    expect(answer).toMatchObject(notClosed);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    await pay(under, id);
    expect(await standingOf(id)).toMatchObject({ status: 'Scheduled' });
  });

  it('when billing does not answer, and deleting again finds out', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    under.otherServices.billing.breaks.afterWork = 2;
    expect(await remove(id)).toMatchObject(notClosed);
    expect(await isListed(id)).toBe(true);
    expect(await remove(id)).toMatchObject(success);
  });
});

describe('E1 401', () => {
  it.each(idsOfNoOffer)('for the id %s', async (id) => {
    const { status, body } = await remove(id);
    expect({ status, body }).toEqual(notFound);
  });

  it("for another organisation's offer, one of the other mode, a deleted one, and its id with zeros in front", async () => {
    const id = await createdId(under);
    expect(await remove(id, { organisationId: 2 })).toMatchObject(notFound);
    expect(await remove(id, { mode: 'LIVE' })).toMatchObject(notFound);
    expect(await remove(`00${id}`)).toMatchObject(notFound);
    expect(await standingOf(id)).toMatchObject({ status: 'Scheduled' });
    await remove(id);
    expect(await remove(id)).toMatchObject(notFound);
  });

  it('from then on for whatever else is asked of it', async () => {
    const id = await createdId(under, startingNow);
    await remove(id);
    expect(await under.call('POST', `/offers/${id}/pause`)).toMatchObject(notFound);
    expect(await under.call('POST', `/offers/${id}/resume`)).toMatchObject(notFound);
    expect((await under.call('GET', `/offers/${id}/analytics?interval=all`)).status).toBe(401);
    expect(await isListed(id)).toBe(false);
  });
});

describe('401', () => {
  it('without a signed caller context, whatever the id', async () => {
    for (const id of ['1', 'x']) {
      const headers = { 'x-caller-context': 'x' };
      const { status, body } = await under.call('DELETE', `/offers/${id}`, { headers });
      expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorised' } });
    }
  });
});
