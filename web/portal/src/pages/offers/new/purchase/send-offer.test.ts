import { expect, test } from '@jest/globals';
import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { Reply } from '../../../../../../ui/calls/call.ts';
import { type Sending, sendOffer } from './send-offer.ts';

const first: Sending = { key: 'key-1', form: new FormData(), isRepeat: false };
const offer: CreateReply = { return_code: 'S1', offer_id: 7, status: 'Active', payment_url: null };
const created: Reply<CreateReply> = { ok: true, status: 200, body: offer, headers: new Headers() };
const refused = (status: number, returnCode: string | null = null): Reply<CreateReply> => ({
  ok: false,
  status,
  returnCode,
  message: 'No.',
});

async function sending(replies: readonly Reply<CreateReply>[], attempt = first) {
  const sent: Sending[] = [];
  let told = 0;
  const outcome = await sendOffer({
    sending: attempt,
    post: async (one) => {
      const reply = replies[Math.min(sent.length, replies.length - 1)];
      sent.push(one);
      if (reply === undefined) throw new Error('no reply was set');
      return reply;
    },
    wait: async () => {},
    findingOut: () => {
      told += 1;
    },
  });
  return { outcome, sent, told };
}

test('a creation with a reply is sent once', async () => {
  const { outcome, sent, told } = await sending([created]);
  expect(outcome).toEqual({ outcome: 'created', offer });
  expect([sent.length, told]).toEqual([1, 0]);
});

test.each([
  [200, 'E2'],
  [400, 'E1'],
  [403, 'E9'],
  [422, null],
  [429, null],
])('a refusal is final: %i %s', async (status, code) => {
  const { outcome, sent } = await sending([refused(status, code), created]);
  expect(outcome).toMatchObject({ outcome: 'refused', refusal: { status, returnCode: code } });
  expect(sent).toHaveLength(1);
});

test('after a lost reply the same request is repeated with the same key', async () => {
  const { outcome, sent, told } = await sending([refused(0), refused(503), refused(409), created]);
  expect(outcome).toEqual({ outcome: 'created', offer });
  expect(sent).toEqual([first, first, first, first]);
  expect(told).toBe(3);
});

test.each([429, 408])('after a lost reply %i does not end the repetitions', async (status) => {
  const { outcome, sent } = await sending([refused(0), refused(status), created]);
  expect(outcome).toEqual({ outcome: 'created', offer });
  expect(sent).toHaveLength(3);
});

test.each<[string, Reply<CreateReply>[], number]>([
  ['eight requests without a reply', [refused(0)], 8],
  ['a lost reply when the session has ended meanwhile', [refused(0), refused(401), created], 2],
])('the outcome stays unknown after %s', async (_when, replies, requests) => {
  const { outcome, sent } = await sending(replies);
  expect(outcome).toMatchObject({ outcome: 'unknown' });
  expect(sent).toHaveLength(requests);
});

test('422 for the key of an earlier attempt means that the earlier request was successful', async () => {
  const again = { ...first, isRepeat: true };
  expect((await sending([refused(422)], again)).outcome).toEqual({ outcome: 'sent-before' });
  const retried = await sending([refused(429), refused(200, 'E3')], again);
  expect(retried.outcome).toMatchObject({ outcome: 'refused', refusal: { returnCode: 'E3' } });
});
