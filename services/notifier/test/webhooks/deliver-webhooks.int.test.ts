import { afterEach, describe, expect, it } from '@jest/globals';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { forAllTests, forEachTest } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { attemptsAtMost, retryInMs } from '../../src/domain/webhooks/schedule.ts';
import { lineLeaseMs } from '../../src/webhooks/endpoints-store.ts';
import type { MessageState } from '../../src/webhooks/messages-store.ts';
import { createSecretBox } from '../../src/webhooks/secret-box.ts';
import { signatureHeaders } from '../../src/webhooks/signature.ts';
import { answerWith, type Receiver, startReceiver } from './receiver.ts';
import { aSecret, sealedKeys, setUpWebhooks } from './webhooks-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const test = forAllTests(() => setUpWebhooks());
const shop = forEachTest(() => startReceiver());
afterEach(async () => {
  await test.reset();
  await shop[Symbol.asyncDispose]();
});

const idsAt = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id']);
const messagesOf = (endpointId: string) => test.messages.latest(endpointId, 100);
const statesOf = async (endpointId: string) => (await messagesOf(endpointId)).map(({ state }) => state);
const expectStates = (endpointId: string, states: readonly MessageState[]) =>
  eventually(async () => expect(await statesOf(endpointId)).toEqual(states));
/** A delivery that waits for nothing, and in which an endpoint of a port answers as said. */
const answers = (status: number) => async () => ({ status, answer: 'x', tookMs: 1 });

describe('a webhook', () => {
  it('reaches each endpoint of the organisation and the mode that wants its type, and no other', async () => {
    const other = await startReceiver();
    const all = await test.addEndpoint(shop.port);
    const some = await test.addEndpoint(shop.port, { types: ['offer.ended'] });
    const unwanted = [
      await test.addEndpoint(other.port, { types: ['balance.low'] }),
      await test.addEndpoint(other.port, { mode: 'LIVE' }),
      await test.addEndpoint(other.port, { organisationId: 2 }),
    ];
    await test.hear({ type: 'offer.ended' });
    await test.deliver();
    await expectStates(all.id, ['delivered']);
    await expectStates(some.id, ['delivered']);
    for (const { id } of unwanted) expect(await statesOf(id)).toEqual([]);
    expect(other.connections()).toBe(0);
    await other[Symbol.asyncDispose]();
    expect(new Set(idsAt(shop)).size).toBe(2);
    expect(shop.received[0]!.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(shop.received[0]!.body)).toEqual({
      type: 'offer.ended',
      timestamp: '2036-06-01T12:00:00.000Z',
      data: {
        environment: 'TEST',
        offer_id: 17,
        title: 'Two for one',
        start_datetime: '2026-06-02T09:00:00.000Z',
        expiry_datetime: '2026-06-09T09:00:00.000Z',
        paid: true,
      },
    });
  });

  it('of an event that is heard twice is one message', async () => {
    const { id } = await test.addEndpoint(shop.port);
    await test.hear({ id: 'event-1' });
    await test.deliver();
    await expectStates(id, ['delivered']);
    await test.hear({ id: 'event-1' });
    await test.hear({ id: 'event-2' });
    await expectStates(id, ['delivered', 'delivered']);
    expect(shop.received).toHaveLength(2);
  });

  it('that is added while its line is at work is sent next', async () => {
    const { id } = await test.addEndpoint(shop.port);
    const reading = Promise.withResolvers<void>();
    const wentOn = Promise.withResolvers<void>();
    const { next } = test.messages;
    await test.hear();
    await test.deliver({
      messages: {
        next: async (endpointId) => {
          const found = await next(endpointId);
          if (found !== undefined) return found;
          reading.resolve();
          await wentOn.promise;
          return undefined;
        },
      },
    });
    // The line has found that nothing is left, and is not released yet.
    await reading.promise;
    await test.hear();
    wentOn.resolve();
    await expectStates(id, ['delivered', 'delivered']);
  });
});

describe('a message that the endpoint does not take', () => {
  it('is tried again after the pauses of the specification, with the same id and the time of the attempt', async () => {
    shop.behave = answerWith(500);
    const { id } = await test.addEndpoint(shop.port);
    await test.hear();
    const delivery = await test.deliver();
    await expectTries(id, 1);
    for (const [index, pauseMs] of [5_000, 5 * minute, 30 * minute].entries()) {
      const due = new Date(test.clock.now().getTime() + pauseMs);
      expect((await test.messages.next(id))?.dueAt).toEqual(due);
      test.clock.advance(pauseMs);
      delivery.wake();
      await expectTries(id, index + 2);
    }
    expect(new Set(idsAt(shop)).size).toBe(1);
    const times = shop.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times.map((time) => time - times[0]!)).toEqual([0, 5, 305, 2_105]);
    shop.behave = answerWith(200);
    test.clock.advance(2 * hour);
    delivery.wake();
    await expectStates(id, ['delivered']);
    const { tries, attempts } = (await messagesOf(id))[0]!;
    expect([tries, attempts.map(({ status }) => status)]).toEqual([5, [500, 500, 500, 500, 200]]);
    await eventually(async () => expect((await test.endpoint(id))?.failing).toBeUndefined());
  });

  it('fails after ten attempts, and the next message is tried all the same', async () => {
    const { id } = await test.addEndpoint(shop.port);
    await test.hear();
    const delivery = await test.deliver({ post: answers(503) });
    for (let attempt = 1; attempt < attemptsAtMost; attempt += 1) {
      await expectTries(id, attempt);
      expect(await statesOf(id)).toEqual(['pending']);
      test.clock.advance(retryInMs(attempt, 0)!);
      delivery.wake();
    }
    await expectTries(id, attemptsAtMost);
    expect(await statesOf(id)).toEqual(['failed']);
    expect((await messagesOf(id))[0]!.attempts).toHaveLength(10);
    await test.hear();
    await expectStates(id, ['pending', 'failed']);
    await expectTries(id, 1);
  });
});

describe('an endpoint that hangs', () => {
  it('delays no other endpoint', async () => {
    const slow = await startReceiver({ behave: () => {} });
    const slowOne = await test.addEndpoint(slow.port);
    for (let count = 0; count < 5; count += 1) await test.hear();
    await test.deliver();
    await eventually(() => expect(slow.open()).toBe(1));
    const other = await test.addEndpoint(shop.port, { types: ['offer.ended'] });
    for (let count = 0; count < 5; count += 1) await test.hear({ type: 'offer.ended' });
    await expectStates(
      other.id,
      Array.from({ length: 5 }, () => 'delivered' as const),
    );
    // One line, so one connection, however many messages wait.
    expect(slow.connections()).toBe(1);
    expect(new Set(await statesOf(slowOne.id))).toEqual(new Set(['pending']));
    await slow[Symbol.asyncDispose]();
  });

  it('delays nobody together with as many as two modes of an organisation may have', async () => {
    const hanging = new Set<string>();
    const held = Promise.withResolvers<{ status: number; answer: string; tookMs: number }>();
    const post = async ({ url }: { url: string }) => {
      if (url.includes(`:${shop.port}/`)) return answers(200)();
      hanging.add(url);
      return held.promise;
    };
    for (const organisationId of [1, 3])
      for (let index = 0; index < webhookLimits.endpoints; index += 1)
        await test.addEndpoint(1_001 + index, { organisationId });
    const other = await test.addEndpoint(shop.port, { organisationId: 2 });
    for (const organisationId of [1, 3]) await test.hear({ data: { organisationId } });
    await test.deliver({ post });
    await eventually(() => expect(hanging.size).toBe(2 * webhookLimits.endpoints));
    await test.hear({ data: { organisationId: 2 } });
    await expectStates(other.id, ['delivered']);
    held.resolve(await answers(200)());
  });
});

describe('a process that is gone between an attempt and its record', () => {
  it('leaves the message to another one, which repeats it with the same id', async () => {
    const { id } = await test.addEndpoint(shop.port);
    await test.hear();
    // It never comes back from here.
    const stuck = Promise.withResolvers<void>();
    await test.deliver({ messages: { record: () => stuck.promise } });
    await eventually(() => expect(shop.received).toHaveLength(1));
    const successor = await test.deliver();
    test.clock.advance(lineLeaseMs - 1);
    successor.wake();
    expect(await lineIsFree(id)).toBe(false);
    test.clock.advance(1);
    successor.wake();
    await expectStates(id, ['delivered']);
    expect(shop.received).toHaveLength(2);
    expect(new Set(idsAt(shop)).size).toBe(1);
    stuck.resolve();
  });

  it('two processes send each message once', async () => {
    const endpoints = await Promise.all([1, 2, 3].map(() => test.addEndpoint(shop.port)));
    await Promise.all([test.deliver(), test.deliver()]);
    await Promise.all(Array.from({ length: 30 }, () => test.hear()));
    for (const { id } of endpoints)
      await expectStates(
        id,
        Array.from({ length: 30 }, () => 'delivered' as const),
      );
    expect(shop.received).toHaveLength(90);
    expect(new Set(idsAt(shop)).size).toBe(90);
  });
});

describe('an endpoint', () => {
  it('that failed for five days is switched off, and the admins are told', async () => {
    const { id } = await test.addEndpoint(shop.port, { url: 'http://hooks.shop.example/secret-path' });
    const delivery = await test.deliver({ post: answers(500) });
    for (let days = 0; days <= 5; days += 1) {
      expect(await test.endpoint(id)).toMatchObject({ state: 'on' });
      expect(await test.mails()).toEqual([]);
      if (days > 0) test.clock.advance(day);
      await test.hear();
      delivery.wake();
      await eventually(async () => {
        const { state, failing } = (await test.endpoint(id))!;
        expect([state, failing?.last]).toEqual(days < 5 ? ['on', test.clock.now()] : ['off', undefined]);
        expect(await lineIsFree(id)).toBe(true);
      });
    }
    expect(await test.endpoint(id)).toMatchObject({ state: 'off', offBecause: 'failing' });
    expect(await statesOf(id)).not.toContain('pending');
    const mails = await test.mails();
    expect(mails.map(({ recipient }) => recipient)).toEqual(['ann@cafe.example', 'bob@cafe.example']);
    expect(mails[0]).toMatchObject({
      subject: '[TEST] A webhook was switched off',
      text: expect.stringContaining('Server: hooks shop example'),
    });
    expect(mails[0]!.text).not.toContain('secret-path');
  });

  it('that answers 410 is switched off at once; what happens then is kept and not sent', async () => {
    shop.behave = answerWith(410);
    const { id } = await test.addEndpoint(shop.port);
    await test.deliver();
    await test.hear();
    await eventually(async () =>
      expect(await test.endpoint(id)).toMatchObject({ state: 'off', offBecause: 'gone' }),
    );
    expect(await test.mails()).toHaveLength(2);
    await test.hear();
    await expectStates(id, ['missed', 'missed']);
    expect(shop.received).toHaveLength(1);
  });
});

describe('an endpoint that changes while its line is at work', () => {
  /** Three messages; the change happens while the receiver holds the answer to the first one. */
  async function changedAtWork(change: (id: string) => Promise<unknown>): Promise<string> {
    const { id } = await test.addEndpoint(shop.port);
    for (let count = 0; count < 3; count += 1) await test.hear();
    const first = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    shop.behave = (socket, received) => {
      first.resolve();
      void held.promise.then(() => answerWith(200)(socket, received));
    };
    await test.deliver();
    await first.promise;
    await change(id);
    held.resolve();
    return id;
  }
  const owner = { organisationId: 1, mode: 'TEST' } as const;
  const actor = { owner, by: 'person 7' };

  it.each(['remove', 'switchOff'] as const)('gets nothing more after %s', async (change) => {
    const id = await changedAtWork((line) => test.manage[change](line, actor));
    await eventually(async () => expect(await lineIsFree(id)).toBe(true));
    // Whatever was due has been claimed once this has its message.
    const later = await test.addEndpoint(shop.port);
    await test.hear();
    await expectStates(later.id, ['delivered']);
    const paths = [id, later.id].map((endpoint) => `/hooks?of=${endpoint}`);
    expect(shop.received.map(({ path }) => path)).toEqual(paths);
  });

  it('gets the next message at its new address', async () => {
    const id = await changedAtWork((line) =>
      test.manage.change(line, actor, { url: `http://127.0.0.1:${shop.port}/new` }),
    );
    await expectStates(id, ['delivered', 'delivered', 'delivered']);
    expect(shop.received.map(({ path }) => path).slice(1)).toEqual(['/new', '/new']);
  });
});

describe('an endpoint whose secret was sealed with a secret that is gone from the setting', () => {
  const goneBox = createSecretBox('a-seal-secret-that-is-gone-from-the-setting-0001');

  it('gets nothing, says so in its messages and in the log, and gets them once the secret is rolled', async () => {
    const id = 'we_sealed-with-a-lost-secret';
    await test.addEndpoint(shop.port, { id, secrets: [sealedKeys(id, goneBox)] });
    await test.hear();
    const log: string[] = [];
    await test.deliver({ log });
    await expectTries(id, 1);
    const [message] = await messagesOf(id);
    expect(message).toMatchObject({
      state: 'pending',
      attempts: [{ problem: 'the secret of the webhook cannot be read any more: roll it' }],
    });
    expect(log.join()).toContain(`"endpoint":"${id}","msg":"a secret of a webhook cannot be opened`);
    expect(shop.received).toHaveLength(0);
    const rolled = await test.manage.rollSecret(id, {
      owner: { organisationId: 1, mode: 'TEST' },
      by: 'a test',
    });
    test.clock.advance(minute);
    await expectStates(id, ['delivered']);
    const { headers, body } = shop.received[0]!;
    const secret = rolled.ok ? rolled.value.secret : '';
    const keys = [{ secret, privateKey: '' }];
    const signed = { id: headers['webhook-id']!, at: test.clock.now(), body, keys, ed25519: false };
    expect(headers).toMatchObject(signatureHeaders(signed));
  });

  it('gets its messages with the other signature, if another secret signs too', async () => {
    const id = 'we_with-one-lost-secret';
    const until = new Date(test.clock.now().getTime() + hour);
    const secrets = [sealedKeys(id), { ...sealedKeys(id, goneBox), until }];
    await test.addEndpoint(shop.port, { id, secrets });
    await test.hear();
    await test.deliver();
    await expectStates(id, ['delivered']);
    expect(shop.received[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(1);
  });
});

it('neither the log nor the store shows the secret, and the log shows neither address nor answer', async () => {
  shop.behave = answerWith(200, { body: 'an-answer' });
  const log: string[] = [];
  await test.addEndpoint(shop.port);
  await test.deliver({ log });
  await test.hear();
  await eventually(() => expect(log.join('\n')).toContain('delivery of a webhook'));
  const text = log.join('\n');
  expect(text).not.toMatch(/hooks"|127\.0\.0\.1|an-answer/);
  const stored = await test.mongo.connection.collection('webhook_endpoints').find().toArray();
  for (const shown of [text, JSON.stringify(stored)]) expect(shown).not.toContain(aSecret.slice(6));
});

/** Of the latest message. */
async function expectTries(id: string, tries: number): Promise<void> {
  await eventually(async () => {
    expect((await messagesOf(id))[0]!.tries).toBe(tries);
    expect(await lineIsFree(id)).toBe(true);
  });
}

async function lineIsFree(id: string): Promise<boolean> {
  type Stored = { _id: string; lease?: string };
  const found = await test.mongo.connection.collection<Stored>('webhook_endpoints').findOne({ _id: id });
  return found?.lease === undefined;
}
