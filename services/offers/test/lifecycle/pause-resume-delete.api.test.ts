/**
 * POST /offers/{offer_id}/pause and /resume, and DELETE /offers/{offer_id}, row by row of the specification. POST
 * /offers/{offer_id}/credit-estimate, and the same for the portal: what the deletion then credits, and nothing changes.
 */
import { describe, expect, it } from '@jest/globals';
import { offerCreditReply } from '@offer-ads/contracts/portal/offers-api';
import {
  type CreditEstimateReply,
  creditEstimateReply,
  deleteReply,
  pauseReply,
  resumeReply,
} from '@offer-ads/contracts/public/api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { byCard, createdId, type Parts, startingNow } from '../forms.ts';
import { type Answer, type CallOptions, offersUnderTest } from '../offers-under-test.ts';
import { pay } from '../payments.ts';

const HOUR = 3_600_000;

const under = offersUnderTest();

type Command = 'pause' | 'resume' | 'delete';

function run(command: Command, id: number | string, o: CallOptions = {}, query = ''): Promise<Answer> {
  return command === 'delete'
    ? under.call('DELETE', `/offers/${id}${query}`, o)
    : under.call('POST', `/offers/${id}/${command}${query}`, o);
}

/** An offer on which the command succeeds. */
async function readyFor(command: Command, ...[parts, o]: [Parts?, CallOptions?]): Promise<number> {
  const id = await createdId(under, { ...startingNow, ...parts }, o);
  if (command === 'resume') await run('pause', id, o);
  await under.clearEvents();
  return id;
}

function refusal(code: string, status: number, message: string) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}

async function deletionOf(id: number): Promise<unknown> {
  return (await under.events()).find((event) => event.name === 'OfferDeleted' && event.data.offerId === id)
    ?.data;
}

const successes = [
  {
    command: 'pause',
    body: { return_code: 'S1', message: 'Offer has been paused' },
    schema: pauseReply,
    event: { name: 'OfferPaused', data: { pausedAt: '2026-06-01T14:00:00.000Z' } },
  },
  {
    command: 'resume',
    body: { return_code: 'S2', message: 'Offer has been resumed' },
    schema: resumeReply,
    event: { name: 'OfferResumed', data: { resumedAt: '2026-06-01T14:00:00.000Z' } },
  },
  {
    command: 'delete',
    body: { return_code: 'S1', message: 'Offer has been deleted' },
    schema: deleteReply,
    event: { name: 'OfferDeleted', data: { deletedAt: '2026-06-01T14:00:00.000Z' } },
  },
] as const;

describe.each(successes)('$command succeeds', ({ command, body, schema, event }) => {
  it('with exactly these words, and its event is written', async () => {
    const id = await readyFor(command);
    under.clock.set('2026-06-01T14:00:00Z');
    const answer = await run(command, id);
    expect([answer.status, answer.body]).toEqual([200, body]);
    expect(schema.parse(answer.body)).toEqual(body);
    expect(await under.events()).toMatchObject([{ ...event, data: { offerId: id, ...event.data } }]);
  });

  it.each([
    ['broken JSON', '{"a":'],
    ['100 kB', 'x'.repeat(100_000)],
  ])('whatever is sent in the body and as parameters: %s', async (_, sent) => {
    const o = { body: sent, headers: { 'content-type': 'application/json' } };
    const id = await readyFor(command);
    expect(await run(command, id, o, '?environment=LIVE&a=b')).toMatchObject({ status: 200, body });
  });
});

describe('the refusals of pause and resume', () => {
  const ended = 'Offer has ended';
  const awaiting = 'Offer is awaiting payment';
  const running = 'Offer is already running';
  it.each<[Command, code: string, string, message: string, parts: Parts, before: Command[], now: string]>([
    ['pause', 'E2', 'a paused and ended', ended, startingNow, ['pause'], '23:00'],
    ['pause', 'E3', 'a paused', 'Offer is already paused', startingNow, ['pause'], '12:01'],
    ['pause', 'E5', 'an unpaid', awaiting, { ...startingNow, ...byCard }, [], '12:00'],
    ['resume', 'E2', 'an ended', ended, startingNow, [], '23:00'],
    ['resume', 'E2', 'an unpaid and ended', ended, byCard, [], '23:00'],
    ['resume', 'E4', 'a scheduled', running, {}, [], '12:01'],
    ['resume', 'E4', 'a resumed', running, startingNow, ['pause', 'resume'], '12:01'],
    ['resume', 'E5', 'an unpaid', awaiting, byCard, [], '12:00'],
  ])('%s is %s for %s offer, and changes nothing', async (command, code, _, message, parts, before, now) => {
    const id = await createdId(under, parts);
    for (const earlier of before) expect((await run(earlier, id)).status).toBe(200);
    under.clock.set(`2026-06-01T${now}:00Z`);
    await under.clearEvents();
    const found = await under.offer(id);
    const { status, body } = await run(command, id);
    expect({ status, body }).toEqual(refusal(code, 200, message));
    // The sweeper may announce the end at any time, which gives the offer another version.
    expect(await under.offer(id)).toEqual({ ...found, version: expect.any(Number) });
    expect(await under.events()).toEqual([]);
  });
});

describe('DELETE, S1 200', () => {
  it('closes the page of an unpaid offer first', async () => {
    const id = await createdId(under, byCard);
    expect((await run('delete', id)).status).toBe(200);
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'closed' });
    expect(await deletionOf(id)).toMatchObject({ paid: false, unusedMs: 0 });
  });

  it('does not ask for the page of an unpaid offer that has ended, because its end closes the page', async () => {
    const id = await createdId(under, byCard);
    under.clock.set('2026-06-01T23:00:00Z');
    under.otherServices.billing.closing = 'unknown';
    expect((await run('delete', id)).status).toBe(200);
    expect(await deletionOf(id)).toMatchObject({ paid: false });
  });
});

describe('DELETE, E6 409', () => {
  const justPaid = refusal('E6', 409, 'The payment has just been completed, the offer was not deleted');

  it('when the payment was just completed; once its event has arrived, the paid offer is deleted and credited', async () => {
    const id = await createdId(under, byCard);
    under.otherServices.billing.pay(id);
    expect(await run('delete', id)).toMatchObject(justPaid);
    expect(await under.offer(id)).toMatchObject({ status: 'Awaiting Payment' });
    expect(await deletionOf(id)).toBeUndefined();
    under.otherServices.billing.sales.get(id)!.state = 'open';
    await pay(under, id);
    expect((await run('delete', id)).status).toBe(200);
    expect(await deletionOf(id)).toMatchObject({ paid: true, unusedMs: 10 * HOUR });
  });
});

describe('DELETE, E7 503', () => {
  const notClosed = refusal('E7', 503, 'The payment page could not be closed, the offer was not deleted');

  it.each([
    ['the page cannot be closed', { closing: 'unknown' }],
    ['billing does not answer', { breaks: { beforeWork: 0, afterWork: 2 } }],
  ])('when %s; nothing is deleted, and the offer can still be paid and then deleted', async (_, fault) => {
    const id = await createdId(under, byCard);
    Object.assign(under.otherServices.billing, fault);
    const answer = await run('delete', id);
    expect(answer).toMatchObject(notClosed);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await under.offer(id)).toMatchObject({ status: 'Awaiting Payment' });
    under.otherServices.billing.closing = 'works';
    await under.offers.sweeper.recover();
    await pay(under, id);
    expect((await run('delete', id)).status).toBe(200);
    expect(await deletionOf(id)).toMatchObject({ paid: true, unusedMs: 10 * HOUR });
  });
});

describe('the estimate of a credit', () => {
  async function estimate(id: number): Promise<CreditEstimateReply> {
    const { status, body } = await under.call('POST', `/offers/${id}/credit-estimate`);
    expect(status).toBe(200);
    return creditEstimateReply.parse(body);
  }

  it('is the credit of a deletion at the same instant', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T15:17:31.234Z');
    const { estimated_credit: credit, ...others } = await estimate(id);
    expect(others).toEqual({
      return_code: 'S1',
      offer_id: id,
      status: 'Paused',
      currency: 'GBP',
      cost: 10,
      as_of_datetime: '2026-06-01T15:17:31.234Z',
    });
    const portal = await under.call('GET', `/portal/offers/${id}/credit`);
    expect(offerCreditReply.parse(portal.body)).toMatchObject({
      offer_status: 'Paused',
      cost_minor: '1000',
      credit_minor: `${Math.round(credit * 100)}`,
    });
    await under.call('DELETE', `/offers/${id}`);
    const unused = (await deletionOf(id)) as { unusedMs: number; scheduledMs: number };
    expect(credit).toBeGreaterThan(0);
    expect(Math.round(credit * 100)).toBe(Number(creditTarget(1000n, unused)));
  });

  it('changes nothing: neither the offer nor the credit of a later deletion', async () => {
    const id = await createdId(under);
    const rows = () => under.postgres.query('SELECT * FROM offers WHERE offer_id = $1', [id]);
    const [before, events] = [await rows(), (await under.events()).length];
    const first = await estimate(id);
    expect(await estimate(id)).toEqual(first);
    expect(await rows()).toEqual(before);
    expect(await under.events()).toHaveLength(events);
  });

  it.each([
    ['the whole price before the start', {}, '12:00', 'Scheduled', 10],
    ['nothing while payment is awaited', { ...startingNow, ...byCard }, '12:00', 'Awaiting Payment', 0],
    ['nothing after the end', startingNow, '23:00', 'Ended', 0],
  ])('is %s', async (_, parts, now, status, credit) => {
    const id = await createdId(under, parts);
    under.clock.set(`2026-06-01T${now}:00Z`);
    expect(await estimate(id)).toMatchObject({ status, estimated_credit: credit });
  });

  it('is 503 while billing is away; the portal shows the offer itself', async () => {
    const id = await createdId(under, startingNow);
    under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
    for (const [method, path] of [
      ['POST', `/offers/${id}/credit-estimate`],
      ['GET', `/portal/offers/${id}/credit`],
    ] as const)
      expect(await under.call(method, path)).toMatchObject({
        status: 503,
        body: { message: 'Service unavailable' },
      });
    expect((await under.call('GET', `/portal/offers/${id}`)).status).toBe(200);
  });
});
