/** POST /offers/{offer_id}/pause, row by row of the specification. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pauseReply } from '@offer-ads/contracts/public/api';
import { createdId, startingNow } from '../forms.ts';
import { idsOfNoOffer } from '../no-offers.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { pay } from '../payments.ts';

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
});

function pause(id: number | string, caller = {}): Promise<Answer> {
  return under.call('POST', `/offers/${id}/pause`, { caller });
}

async function standingOf(id: number): Promise<Record<string, unknown>> {
  return (await under.admin('GET', `/admin/offers/${id}`)).body as Record<string, unknown>;
}

const success = { status: 200, body: { return_code: 'S1', message: 'Offer has been paused' } };

/** Refused with exactly this, and nothing has changed and nothing is told. */
async function expectRefused(id: number, code: string, message: string): Promise<void> {
  await under.clearEvents();
  const before = await standingOf(id);
  const { status, body } = await pause(id);
  expect({ status, body }).toEqual({
    status: 200,
    body: { return_code: code, status: 'Error', code: 200, message },
  });
  // That an offer has ended is told whenever the sweeper comes to it, which is another version of the same.
  expect(await standingOf(id)).toEqual({ ...before, version: expect.any(Number) });
  expect(await under.events()).toEqual([]);
}

describe('S1 200', () => {
  it('pauses an active offer, which is told and listed as Paused', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    const { status, body } = await pause(id);
    expect({ status, body }).toEqual(success);
    expect(pauseReply.parse(body)).toEqual(body);
    expect(await under.events()).toMatchObject([
      { name: 'OfferPaused', data: { offerId: id, pausedAt: '2026-06-01T12:00:00.000Z' } },
    ]);
    const listed = await under.call('GET', '/offers?environment=test&offer_status=paused&limit=1');
    expect(listed.body).toMatchObject({ data: [{ offer_id: id, offer_status: 'Paused' }] });
  });

  it('pauses a scheduled offer, whose pause counts from its start', async () => {
    const id = await createdId(under);
    expect(await pause(id)).toMatchObject(success);
    expect(await standingOf(id)).toMatchObject({ status: 'Paused', unusedMs: 0 });
    under.clock.set('2026-06-01T13:00:01.500Z');
    expect(await standingOf(id)).toMatchObject({ status: 'Paused', unusedMs: 1_500 });
  });

  it('pauses in the last millisecond, and one that an admin has disabled', async () => {
    const id = await createdId(under, startingNow);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    under.clock.set('2026-06-01T22:59:59.999Z');
    expect(await pause(id)).toMatchObject(success);
  });

  it('pauses a card offer once it is paid, in LIVE as in TEST', async () => {
    const card = await createdId(under, { payment_method: 'E' });
    await pay(under, card);
    expect(await pause(card)).toMatchObject(success);
    const caller = { mode: 'LIVE' as const };
    const live = await createdId(under, { environment: 'LIVE' }, { caller });
    expect(await pause(live, caller)).toMatchObject(success);
  });

  it('takes no body and no parameters, and minds none', async () => {
    for (const body of ['{}', '{"a":', 'x'.repeat(100_000)]) {
      const id = await createdId(under, startingNow);
      const headers = { 'content-type': 'application/json' };
      const answer = await under.call('POST', `/offers/${id}/pause?environment=LIVE&a=b`, { body, headers });
      expect(answer).toMatchObject(success);
    }
  });
});

describe('E2 200', () => {
  it('when the offer has ended: at its expiry, and paused or unpaid as well', async () => {
    const ran = await createdId(under, startingNow);
    const paused = await createdId(under, startingNow);
    await pause(paused);
    const unpaid = await createdId(under, { payment_method: 'E' });
    under.clock.set('2026-06-01T23:00:00Z');
    for (const id of [ran, paused, unpaid]) await expectRefused(id, 'E2', 'Offer has ended');
  });
});

describe('E3 200', () => {
  it('when the offer is already paused', async () => {
    const id = await createdId(under, startingNow);
    await pause(id);
    under.clock.advance(1_000);
    await expectRefused(id, 'E3', 'Offer is already paused');
  });

  it('for all but one of many pauses at once', async () => {
    const id = await createdId(under, startingNow);
    const answers = await Promise.all(Array.from({ length: 8 }, () => pause(id)));
    const codes = answers.map(({ body }) => (body as { return_code: string }).return_code);
    expect(codes.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'E3'), 'S1']);
  });
});

describe('E5 200', () => {
  it('when the offer awaits payment', async () => {
    const id = await createdId(under, { payment_method: 'E', ...startingNow });
    await expectRefused(id, 'E5', 'Offer is awaiting payment');
  });
});

describe('E1 401', () => {
  const notFound = {
    status: 401,
    body: { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' },
  };

  it.each(idsOfNoOffer)('for the id %s', async (id) => {
    const { status, body } = await pause(id);
    expect({ status, body }).toEqual(notFound);
  });

  it("for another organisation's offer, one of the other mode, a deleted one, and its id with zeros in front", async () => {
    const id = await createdId(under, startingNow);
    expect(await pause(id, { organisationId: 2 })).toMatchObject(notFound);
    expect(await pause(id, { mode: 'LIVE' })).toMatchObject(notFound);
    expect(await pause(`00${id}`)).toMatchObject(notFound);
    expect(await standingOf(id)).toMatchObject({ status: 'Active' });
    await under.call('DELETE', `/offers/${id}`);
    expect(await pause(id)).toMatchObject(notFound);
  });
});

describe('401', () => {
  it('without a signed caller context, whatever the id', async () => {
    for (const id of ['1', 'x']) {
      const headers = { 'x-caller-context': 'x' };
      const { status, body } = await under.call('POST', `/offers/${id}/pause`, { headers });
      expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorised' } });
    }
  });
});

describe('404', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('for %s', async (method) => {
    expect(await under.call(method, '/offers/1/pause')).toMatchObject({
      status: 404,
      body: { message: 'Not found' },
    });
  });
});
