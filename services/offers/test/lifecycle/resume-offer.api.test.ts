/** POST /offers/{offer_id}/resume, row by row of the specification. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resumeReply } from '@offer-ads/contracts/public/api';
import { createdId, startingNow } from '../forms.ts';
import { idsOfNoOffer } from '../no-offers.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

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

function resume(id: number | string, caller = {}): Promise<Answer> {
  return under.call('POST', `/offers/${id}/resume`, { caller });
}

async function pausedId(parts = {}): Promise<number> {
  const id = await createdId(under, parts);
  await under.call('POST', `/offers/${id}/pause`);
  return id;
}

async function standingOf(id: number): Promise<Record<string, unknown>> {
  return (await under.admin('GET', `/admin/offers/${id}`)).body as Record<string, unknown>;
}

const success = { status: 200, body: { return_code: 'S2', message: 'Offer has been resumed' } };

/** Refused with exactly this, and nothing has changed and nothing is told. */
async function expectRefused(id: number, code: string, message: string): Promise<void> {
  await under.clearEvents();
  const before = await standingOf(id);
  const { status, body } = await resume(id);
  expect({ status, body }).toEqual({
    status: 200,
    body: { return_code: code, status: 'Error', code: 200, message },
  });
  // That an offer has ended is told whenever the sweeper comes to it, which is another version of the same.
  expect(await standingOf(id)).toEqual({ ...before, version: expect.any(Number) });
  expect(await under.events()).toEqual([]);
}

describe('S2 200', () => {
  it('resumes a paused offer, tells the others, and the pause stays unused time', async () => {
    const id = await pausedId(startingNow);
    under.clock.advance(90_001);
    await under.clearEvents();
    const { status, body } = await resume(id);
    expect({ status, body }).toEqual(success);
    expect(resumeReply.parse(body)).toEqual(body);
    expect(await under.events()).toMatchObject([
      { name: 'OfferResumed', data: { offerId: id, resumedAt: '2026-06-01T12:01:30.001Z' } },
    ]);
    under.clock.advance(5_000);
    expect(await standingOf(id)).toMatchObject({ status: 'Active', unusedMs: 90_001 });
  });

  it('gives Scheduled until the start and Active from it on', async () => {
    const [early, atStart] = [await pausedId(), await pausedId()];
    under.clock.set('2026-06-01T12:59:59.999Z');
    expect(await resume(early)).toMatchObject(success);
    expect(await standingOf(early)).toMatchObject({ status: 'Scheduled', unusedMs: 0 });
    under.clock.set('2026-06-01T13:00:00Z');
    expect(await resume(atStart)).toMatchObject(success);
    expect(await standingOf(atStart)).toMatchObject({ status: 'Active', unusedMs: 0 });
  });

  it('resumes in the last millisecond, and one that an admin has disabled', async () => {
    const id = await pausedId(startingNow);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    under.clock.set('2026-06-01T22:59:59.999Z');
    expect(await resume(id)).toMatchObject(success);
    // Disabled all the time, so the pause took nothing more from it.
    expect(await standingOf(id)).toMatchObject({ enabled: false, unusedMs: 11 * 3_600_000 - 1 });
  });

  it('adds up many pauses', async () => {
    const id = await createdId(under, startingNow);
    for (let times = 1; times <= 5; times += 1) {
      under.clock.advance(1_000);
      await under.call('POST', `/offers/${id}/pause`);
      under.clock.advance(7);
      expect(await resume(id)).toMatchObject(success);
    }
    expect(await standingOf(id)).toMatchObject({ status: 'Active', unusedMs: 35 });
  });

  it('takes no body and no parameters, and minds none', async () => {
    const id = await pausedId(startingNow);
    const headers = { 'content-type': 'application/json' };
    expect(
      await under.call('POST', `/offers/${id}/resume?environment=LIVE`, { body: '{"a":', headers }),
    ).toMatchObject(success);
  });
});

describe('E2 200', () => {
  it('when the offer has ended: at its expiry, and paused or unpaid as well', async () => {
    const paused = await pausedId();
    const ran = await createdId(under);
    const unpaid = await createdId(under, { payment_method: 'E' });
    under.clock.set('2026-06-01T23:00:00Z');
    for (const id of [paused, ran, unpaid]) await expectRefused(id, 'E2', 'Offer has ended');
  });
});

describe('E4 200', () => {
  it('when the offer is running, scheduled, or resumed already', async () => {
    const resumed = await pausedId(startingNow);
    await resume(resumed);
    for (const id of [await createdId(under, startingNow), await createdId(under), resumed])
      await expectRefused(id, 'E4', 'Offer is already running');
  });

  it('for all but one that resume at once', async () => {
    const id = await pausedId(startingNow);
    const answers = await Promise.all(Array.from({ length: 8 }, () => resume(id)));
    const codes = answers.map(({ body }) => (body as { return_code: string }).return_code);
    expect(codes.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'E4'), 'S2']);
  });
});

describe('E5 200', () => {
  it('when the offer awaits payment', async () => {
    await expectRefused(await createdId(under, { payment_method: 'E' }), 'E5', 'Offer is awaiting payment');
  });
});

describe('E1 401', () => {
  const notFound = {
    status: 401,
    body: { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' },
  };

  it.each(idsOfNoOffer)('for the id %s', async (id) => {
    const { status, body } = await resume(id);
    expect({ status, body }).toEqual(notFound);
  });

  it("for another organisation's offer, one of the other mode, a deleted one, and its id with zeros in front", async () => {
    const id = await pausedId();
    expect(await resume(id, { organisationId: 2 })).toMatchObject(notFound);
    expect(await resume(id, { mode: 'LIVE' })).toMatchObject(notFound);
    expect(await resume(`00${id}`)).toMatchObject(notFound);
    expect(await standingOf(id)).toMatchObject({ status: 'Paused' });
    await under.call('DELETE', `/offers/${id}`);
    expect(await resume(id)).toMatchObject(notFound);
  });
});

describe('401', () => {
  it('without a signed caller context, whatever the id', async () => {
    for (const id of ['1', 'x']) {
      const headers = { 'x-caller-context': 'x' };
      const { status, body } = await under.call('POST', `/offers/${id}/resume`, { headers });
      expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorised' } });
    }
  });
});
