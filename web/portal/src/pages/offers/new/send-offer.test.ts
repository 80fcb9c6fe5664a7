import { expect, test } from '@jest/globals';
import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { Reply } from '../../../../../ui/calls/call.ts';
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

test('what is created at once is sent once', async () => {
  const { outcome, sent, told } = await sending([created]);
  expect(outcome).toEqual({ outcome: 'created', offer });
  expect([sent.length, told]).toEqual([1, 0]);
});

test('after a lost answer the same attempt is sent again, under the same key', async () => {
  const { outcome, sent, told } = await sending([refused(0), refused(503), refused(409), created]);
  expect(outcome).toEqual({ outcome: 'created', offer });
  expect(sent).toEqual([first, first, first, first]);
  expect(told).toBe(3);
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

test('what stays unknown is said to be so, after a bounded number of repetitions', async () => {
  const { outcome, sent } = await sending([refused(0)]);
  expect(outcome).toMatchObject({ outcome: 'unknown' });
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.length).toBeLessThan(10);
});

test.each([429, 408])(
  'turned away with %i after a lost answer, it is asked again: the first may have come through',
  async (status) => {
    const { outcome, sent } = await sending([refused(0), refused(status), created]);
    expect(outcome).toEqual({ outcome: 'created', offer });
    expect(sent).toHaveLength(3);
  },
);

test('after a lost answer nobody asks on who is signed out: it stays unknown', async () => {
  const { outcome, sent } = await sending([refused(0), refused(401), created]);
  expect(outcome).toMatchObject({ outcome: 'unknown' });
  expect(sent).toHaveLength(2);
});

test('under the key of an earlier attempt, another form is told that the earlier one came through', async () => {
  const again = { ...first, isRepeat: true };
  expect((await sending([refused(422)], again)).outcome).toEqual({ outcome: 'sent-before' });
  expect((await sending([refused(429), refused(200, 'E3')], again)).outcome).toMatchObject({
    outcome: 'refused',
    refusal: { returnCode: 'E3' },
  });
});
