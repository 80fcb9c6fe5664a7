/** The calls about webhooks, as the gateway makes them for API keys and for signed-in people. */

import { beforeEach, describe, expect, it } from '@jest/globals';
import { webhookShown, webhooksListed } from '@offer-ads/contracts/admin/notifier-api';
import {
  messagesReply,
  resendReply,
  type WebhookMessage,
  type WebhookWithSecret,
  webhook,
  webhookDeleted,
  webhookMessage,
  webhooksReply,
  webhookWithSecret,
} from '@offer-ads/contracts/public/webhooks-api';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Express } from 'express';
import { Webhook } from 'standardwebhooks';
import { attemptsAtMost } from '../../src/domain/webhooks/schedule.ts';
import { webhookAdminRoutes } from '../../src/http/webhook-admin-routes.ts';
import { webhookRoutes } from '../../src/http/webhook-routes.ts';
import { readableLogger } from '../test-store.ts';
import { answerWith, startReceiver } from './receiver.ts';
import { setUpWebhooks } from './webhooks-under-test.ts';

const audit: string[] = [];

const shop = forAllTests(() => startReceiver());
const test = forAllTests(() => setUpWebhooks());
const server = forAllTests(async () => {
  await test.deliver();
  const { manage, clock } = test;
  const routes = (app: Express) => {
    webhookRoutes(app, { manage, clock, contextSecret: testContextSecret, senderAddresses });
    webhookAdminRoutes(app, { manage, admin: testAdminGuard(readableLogger(audit)) });
  };
  return startTestServer(routes, { clock });
});
beforeEach(async () => {
  shop.behave = answerWith(200);
  for (const name of ['webhook_endpoints', 'webhook_messages'])
    await test.mongo.connection.collection(name).deleteMany({});
});

type Caller = Parameters<typeof signedCaller>[0];
type Ask = {
  caller?: Partial<Caller>;
  json?: unknown;
  /** Sent as it is, as JSON unless `headers` say otherwise. */
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  secret?: string;
};

async function ask(method: string, path: string, o: Ask = {}) {
  const caller = {
    audience: 'notifier',
    mode: 'TEST',
    keyId: 3,
    personId: 7,
    ...o.caller,
  } as const;
  const body = o.body ?? (o.json === undefined ? undefined : JSON.stringify(o.json));
  const reply = await fetch(`${server.url}/webhooks${path}`, {
    method,
    headers: {
      ...signedCaller(caller, o.secret),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...o.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as object };
}

const hooks = (path = '/hooks') => `http://127.0.0.1:${shop.port}${path}`;
async function create(facts: object = {}, o: Ask = {}): Promise<WebhookWithSecret> {
  const { status, body } = await ask('POST', '', { json: { url: hooks(), ...facts }, ...o });
  expect([status, body]).toEqual([200, expect.anything()]);
  return webhookWithSecret.parse(body);
}
const coded = (code: string, status: number, message: unknown = expect.any(String)) => ({
  status,
  body: { return_code: code, status: 'Error', code: status, message },
});
const notFound = coded('E2', 404, 'Webhook not found');
const other = { organisationId: 2 };
const live = { mode: 'LIVE' } as const;

async function messagesOf(id: string, query = ''): Promise<readonly WebhookMessage[]> {
  const { body } = await ask('GET', `/${id}/messages${query}`);
  return messagesReply.parse(body).data;
}
const expectStatuses = (id: string, statuses: readonly string[]) =>
  eventually(async () => expect((await messagesOf(id)).map(({ status }) => status)).toEqual(statuses));

/** Hears of an event, and returns the request that the receiver got; `count`: how many messages the endpoint has then, all delivered. */
async function delivered(id: string, count = 1) {
  const before = shop.received.length;
  await test.hear();
  await expectStatuses(id, Array<string>(count).fill('delivered'));
  return shop.received[before]!;
}

/** An endpoint with a message that was delivered. */
async function createDelivered() {
  const { webhook_id } = await create();
  await delivered(webhook_id);
  const [{ message_id }] = (await messagesOf(webhook_id)) as [WebhookMessage];
  return { webhook_id, message_id };
}

const senderAddresses = ['192.0.2.10', '2001:db8::/64'];

describe('POST /webhooks', () => {
  it('makes an endpoint for all types, and shows its secret this once', async () => {
    const made = await create();
    expect(made).toEqual({
      webhook_id: expect.stringMatching(/^we_[\w-]{20}$/),
      environment: 'TEST',
      url: hooks(),
      description: null,
      event_types: null,
      ed25519: false,
      public_key: null,
      status: 'enabled',
      disabled_reason: null,
      failing_since_datetime: null,
      previous_secret_expiry_datetime: null,
      creation_datetime: test.clock.now().toISOString(),
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    expect((await ask('GET', '')).body).toEqual({
      webhooks: [shown],
      sender_addresses: senderAddresses,
    });
    expect((await ask('GET', `/${made.webhook_id}`)).body).toEqual(shown);
    const stored = await test.mongo.connection.collection('webhook_endpoints').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
    expect(stored[0]).toMatchObject({ changes: [{ by: 'key 3 of person 7', what: 'created' }] });
  });

  it('makes one for some types, whose messages the library of Standard Webhooks verifies', async () => {
    const made = await create({ description: ' Shop  ', event_types: ['balance.low'] });
    expect(made).toMatchObject({ description: 'Shop', event_types: ['balance.low'] });
    const { headers, body } = await delivered(made.webhook_id);
    expect(signatureIsGood(made.secret, headers, body)).toBe(true);
    expect(signatureIsGood(made.secret, headers, `${body} `)).toBe(false);
  });

  it.each([
    ['no body', undefined, /url/],
    ['no url', {}, /url/],
    ['an address that is none', { url: 'shop.example/hooks' }, /^url: .*such as/],
    ['another protocol', { url: 'ftp://shop.example/' }, /^url/],
    ['a user in the address', { url: 'https://ann:secret@shop.example/' }, /^url: .*user/],
    ['an address that is too long', { url: `https://shop.example/${'ä'.repeat(1_000)}` }, /^url/],
    ['a type that does not exist', { event_types: ['offer.bought'] }, /event_types/],
    ['the type of test messages', { event_types: ['webhook.test'] }, /event_types/],
    [
      'a type twice',
      { event_types: ['offer.paid', 'offer.paid'] },
      /event_types: must not name a type twice/,
    ],
    ['no types', { event_types: [] }, /event_types/],
    ['a misspelt field', { event_type: ['offer.paid'] }, /event_type/],
    ['a description of two lines', { description: 'a\nb' }, /description/],
    ['a long description', { description: 'x'.repeat(201) }, /description/],
  ])('answers E1 to %s, and makes nothing', async (_what, facts, message) => {
    const json = facts && (Object.keys(facts).length === 0 ? {} : { url: hooks(), ...facts });
    expect(await ask('POST', '', { json })).toMatchObject(coded('E1', 400, expect.stringMatching(message)));
    expect((await ask('GET', '')).body).toMatchObject({ webhooks: [] });
  });

  it.each([
    ['a text', 400, /JSON object/, { body: '"AAA"' }],
    ['null', 400, /JSON object/, { body: 'null' }],
    ['a list', 400, /JSON object/, { body: '[]' }],
    ['JSON that breaks off', 400, /valid JSON/, { body: '{' }],
    ['bytes that are not UTF-8', 400, /0xE4/, { body: Buffer.from('{"url":"K\xe4se"}', 'latin1') }],
    ['another type', 415, /application\/json/, { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['a body that is too long', 413, /16384 bytes/, { body: `{"url":"${'a'.repeat(200_000)}"}` }],
  ])('answers E1 to %s, which cannot be read', async (_what, status, message, sent) => {
    expect(await ask('POST', '', sent)).toMatchObject(coded('E1', status, expect.stringMatching(message)));
  });

  it.each([
    ['http', 'http://shop.example/', /not https/],
    ['loopback in another form', 'https://2130706433/', /public internet/],
    ['the port of mail', 'https://shop.example:25/', /port/],
  ])('in LIVE mode answers E1 to %s, whatever the setting of TEST mode is', async (_what, url, message) => {
    expect(await ask('POST', '', { caller: live, json: { url } })).toMatchObject(
      coded('E1', 400, expect.stringMatching(message)),
    );
  });

  it('answers E3 when there is one for the address, also in another spelling', async () => {
    await create();
    for (const url of [hooks(), hooks('/hooks#part'), hooks('/./hooks'), hooks().replace('http:', 'HTTP:')])
      expect(await ask('POST', '', { json: { url } })).toMatchObject(coded('E3', 409));
    await create({}, { caller: other });
  });

  it('answers E4 to one too many, also to requests that come at once; the other mode has its own', async () => {
    const urls = Array.from({ length: webhookLimits.endpoints + 5 }, (_, index) => hooks(`/${index}`));
    const replies = await Promise.all(urls.map((url) => ask('POST', '', { json: { url } })));
    const answeredBy = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    expect([answeredBy(200), answeredBy(400)]).toEqual([10, 5]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(coded('E4', 400));
    expect(webhooksReply.parse((await ask('GET', '')).body).webhooks).toHaveLength(10);
    await create({ url: 'https://shop.example/' }, { caller: live });
    const { webhook_id } = webhooksReply.parse((await ask('GET', '')).body).webhooks[4]!;
    await ask('DELETE', `/${webhook_id}`);
    await create();
  });

  it('with a key that was used answers with the same endpoint and secret, also to requests that come at once', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const replies = await Promise.all(
      [1, 2, 3].map(() => ask('POST', '', { json: { url: hooks() }, headers })),
    );
    const later = await ask('POST', '', { json: { url: hooks() }, headers });
    const bodies = [...replies, later].map(({ body }) => webhookWithSecret.parse(body));
    expect(new Set(bodies.map(({ secret }) => secret)).size).toBe(1);
    expect(new Set(bodies.map(({ webhook_id }) => webhook_id)).size).toBe(1);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect(replies.filter((reply) => reply.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const different = await ask('POST', '', { json: { url: hooks('/other') }, headers });
    expect([different.status, different.body]).toEqual([
      422,
      { message: expect.stringMatching(/different payload/) },
    ]);
    // The key belongs to its organisation and mode.
    const theirs = await create({}, { headers, caller: other });
    expect(theirs.secret).not.toBe(bodies[0]!.secret);
    test.clock.advance(24 * 3_600_000);
    expect(await ask('POST', '', { json: { url: hooks() }, headers })).toMatchObject(coded('E3', 409));
    const malformed = await ask('POST', '', {
      json: { url: hooks() },
      headers: { 'idempotency-key': 'a b' },
    });
    expect(malformed).toMatchObject(coded('E1', 400, expect.stringMatching(/Idempotency-Key/)));
  });
});

it('a key that was used more than a day ago makes a new endpoint, also when the address of the earlier one was changed', async () => {
  const headers = { 'idempotency-key': 'order-2' };
  const earlier = await create({}, { headers });
  await ask('PUT', `/${earlier.webhook_id}`, { json: { url: hooks('/moved') } });
  test.clock.advance(24 * 3_600_000);
  const made = await create({}, { headers });
  expect(made.webhook_id).not.toBe(earlier.webhook_id);
  // From now on the key is that of the new one.
  expect((await create({}, { headers })).webhook_id).toBe(made.webhook_id);
});

it('a creation that is replayed when the sealed secret cannot be read any more answers with a new secret', async () => {
  const headers = { 'idempotency-key': 'order-3' };
  const { webhook_id, secret } = await create({}, { headers });
  await test.mongo.connection
    .collection<{ _id: string }>('webhook_endpoints')
    .updateOne({ _id: webhook_id }, { $set: { 'secrets.0.sealed': 'AAAA' } });
  const replayed = await create({}, { headers });
  expect(replayed.webhook_id).toBe(webhook_id);
  expect(replayed.secret).not.toBe(secret);
  const { headers: sent, body } = await delivered(webhook_id);
  expect(signatureIsGood(replayed.secret, sent, body)).toBe(true);
});

describe('PUT /webhooks/{webhook_id}', () => {
  it('replaces address, description and types, and keeps the secret', async () => {
    const { webhook_id, secret } = await create({ description: 'Shop', event_types: ['offer.paid'] });
    const changed = await ask('PUT', `/${webhook_id}`, { json: { url: hooks('/new') } });
    expect(changed.body).toMatchObject({ url: hooks('/new'), description: null, event_types: null });
    expect((await ask('GET', `/${webhook_id}`)).body).toEqual(changed.body);
    const { path, headers, body } = await delivered(webhook_id);
    expect([path, signatureIsGood(secret, headers, body)]).toEqual(['/new', true]);
  });

  it('answers E1 and E3 as the creation does', async () => {
    await create({ url: hooks('/taken') });
    const { webhook_id } = await create();
    const put = (url: string) => ask('PUT', `/${webhook_id}`, { json: { url } });
    expect(await put('nothing')).toMatchObject(coded('E1', 400));
    expect(await put(hooks('/taken'))).toMatchObject(coded('E3', 409));
    expect((await put(hooks())).status).toBe(200);
  });
});

describe('POST /webhooks/{webhook_id}/roll-secret', () => {
  it('shows the new secret; the old one signs beside it for 24 hours', async () => {
    const { webhook_id, secret } = await create();
    const rolled = webhookWithSecret.parse((await ask('POST', `/${webhook_id}/roll-secret`)).body);
    expect(rolled.secret).not.toBe(secret);
    expect(rolled.previous_secret_expiry_datetime).toBe(
      new Date(test.clock.now().getTime() + 24 * 3_600_000).toISOString(),
    );
    const verifiedBy = async (count: number) => {
      const { headers, body } = await delivered(webhook_id, count);
      return [secret, rolled.secret].map((one) => signatureIsGood(one, headers, body));
    };
    expect(await verifiedBy(1)).toEqual([true, true]);
    test.clock.advance(24 * 3_600_000);
    expect(await verifiedBy(2)).toEqual([false, true]);
    expect((await ask('GET', `/${webhook_id}`)).body).toMatchObject({
      previous_secret_expiry_datetime: null,
    });
  });

  it('also when requests come at once gives each caller a secret that signs; one too many is E7', async () => {
    const { webhook_id, secret } = await create();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => ask('POST', `/${webhook_id}/roll-secret`)),
    );
    const rolled = replies.filter(({ status }) => status === 200);
    expect(rolled).toHaveLength(4);
    expect(replies.find(({ status }) => status !== 200)).toMatchObject(coded('E7', 409));
    const { headers, body } = await delivered(webhook_id);
    const secrets = [secret, ...rolled.map((reply) => webhookWithSecret.parse(reply.body).secret)];
    expect(secrets.map((one) => signatureIsGood(one, headers, body))).toEqual(Array(5).fill(true));
  });
});

it('with ed25519 messages are signed by v1a too: its public key can be read, a roll replaces it, a change ends it', async () => {
  const made = await create({ ed25519: true });
  const { webhook_id, public_key } = made;
  expect([made.ed25519, public_key]).toEqual([true, expect.stringMatching(/^whpk_[\w+/]{43}=$/)]);
  expect((await ask('GET', `/${webhook_id}`)).body).toMatchObject({ ed25519: true, public_key });
  const versionsOf = async (count: number) => {
    const { headers } = await delivered(webhook_id, count);
    return (headers['webhook-signature'] ?? '').split(' ').map((signature) => signature.split(',')[0]);
  };
  expect(await versionsOf(1)).toEqual(['v1', 'v1a']);
  const rolled = webhookWithSecret.parse((await ask('POST', `/${webhook_id}/roll-secret`)).body);
  expect(rolled.public_key).toMatch(/^whpk_/);
  expect(rolled.public_key).not.toBe(public_key);
  expect(await versionsOf(2)).toEqual(['v1', 'v1', 'v1a', 'v1a']);
  const changed = await ask('PUT', `/${webhook_id}`, { json: { url: hooks() } });
  expect(changed.body).toMatchObject({ ed25519: false, public_key: null });
  expect(await versionsOf(3)).toEqual(['v1', 'v1']);
});

describe('POST /webhooks/{webhook_id}/disable and /enable', () => {
  it('stop and start the messages; what happened meanwhile is missed, and can be sent again', async () => {
    const { webhook_id } = await create();
    shop.behave = answerWith(500);
    await test.hear();
    await eventually(async () => expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(1));
    const off = await ask('POST', `/${webhook_id}/disable`);
    expect(off.body).toMatchObject({ status: 'disabled', disabled_reason: 'requested' });
    expect((await ask('POST', `/${webhook_id}/disable`)).body).toEqual(off.body);
    test.clock.advance(1);
    await test.hear();
    await expectStatuses(webhook_id, ['missed', 'missed']);
    for (const path of ['test', 'resend', 'messages/msg_1/resend'])
      expect(
        await ask('POST', `/${webhook_id}/${path}`, { json: { since: '2026-01-01T00:00:00Z' } }),
      ).toMatchObject(coded('E5', 409));
    shop.behave = answerWith(200);
    const on = await ask('POST', `/${webhook_id}/enable`);
    expect(on.body).toMatchObject({ status: 'enabled', disabled_reason: null, failing_since_datetime: null });
    expect((await ask('POST', `/${webhook_id}/enable`)).body).toEqual(on.body);
    test.clock.advance(1);
    await test.hear();
    await expectStatuses(webhook_id, ['delivered', 'missed', 'missed']);
    const again = await ask('POST', `/${webhook_id}/resend`, { json: { since: '2026-01-01T00:00:00Z' } });
    expect(resendReply.parse(again.body)).toEqual({ resent: 2, next_since: null });
    await expectStatuses(webhook_id, ['delivered', 'delivered', 'delivered']);
  });

  it('answer E6 when the platform team has disabled it, also when it was off before', async () => {
    const { webhook_id } = await create();
    await ask('POST', `/${webhook_id}/disable`);
    const staff = { owner: undefined, by: 'eve' };
    await test.manage.switchOff(webhook_id, staff);
    expect((await ask('GET', `/${webhook_id}`)).body).toMatchObject({ disabled_reason: 'platform' });
    expect(await ask('POST', `/${webhook_id}/enable`)).toMatchObject(coded('E6', 409));
    // Also if the platform team was faster than the check.
    const owner = { organisationId: 1, mode: 'TEST' } as const;
    const change = { at: test.clock.now(), by: 'person 7', what: 'switched on' };
    expect(await test.endpoints.switchOn(webhook_id, change, owner)).toBeUndefined();
    await test.manage.switchOn(webhook_id, staff);
    expect((await ask('GET', `/${webhook_id}`)).body).toMatchObject({ status: 'enabled' });
  });
});

describe('DELETE /webhooks/{webhook_id}', () => {
  it('deletes the endpoint: nothing is sent any more, and nobody can read its messages', async () => {
    const { webhook_id } = await create();
    shop.behave = answerWith(500);
    await test.hear();
    await eventually(async () => expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(1));
    const deleted = await ask('DELETE', `/${webhook_id}`);
    expect(webhookDeleted.parse(deleted.body)).toEqual({ webhook_id, message: 'Webhook has been deleted' });
    const before = shop.received.length;
    test.clock.advance(60_000);
    await test.hear();
    expect(shop.received).toHaveLength(before);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/messages'],
      ['DELETE', ''],
    ] as const)
      expect(await ask(method, `/${webhook_id}${path}`)).toMatchObject(notFound);
  });
});

describe('POST /webhooks/{webhook_id}/test', () => {
  it('sends a test message, also to an endpoint that wants other types', async () => {
    const { webhook_id, secret } = await create({ event_types: ['offer.paid'] });
    const before = shop.received.length;
    const { body } = await ask('POST', `/${webhook_id}/test`);
    expect(webhookMessage.parse(body)).toMatchObject({ event_type: 'webhook.test', status: 'pending' });
    await expectStatuses(webhook_id, ['delivered']);
    const sent = shop.received[before]!;
    expect(JSON.parse(sent.body)).toEqual({
      type: 'webhook.test',
      timestamp: test.clock.now().toISOString(),
      data: { environment: 'TEST', webhook_id },
    });
    expect(signatureIsGood(secret, sent.headers, sent.body)).toBe(true);
    expect(sent.headers['webhook-id']).toBe(webhookMessage.parse(body).message_id);
  });

  it('keeps the latest 20 test messages only, and other messages as they are', async () => {
    const { webhook_id } = await create();
    await test.hear();
    for (let count = 0; count < 25; count += 1) {
      test.clock.advance(1);
      await ask('POST', `/${webhook_id}/test`);
    }
    const types = (await messagesOf(webhook_id, '?limit=100')).map(({ event_type }) => event_type);
    expect(types.filter((type) => type === 'webhook.test')).toHaveLength(20);
    expect(types.at(-1)).toBe('balance.low');
  });
});

describe('GET /webhooks/{webhook_id}/messages', () => {
  it('shows the attempts with status, duration and the beginning of the answer', async () => {
    const { webhook_id } = await create();
    shop.behave = answerWith(503, { body: 'x'.repeat(3_000) });
    await test.hear();
    await eventually(async () => expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(1));
    expect(await messagesOf(webhook_id)).toEqual([
      {
        message_id: expect.stringMatching(/^msg_/),
        event_type: 'balance.low',
        status: 'pending',
        creation_datetime: test.clock.now().toISOString(),
        next_attempt_datetime: new Date(test.clock.now().getTime() + 5_000).toISOString(),
        body: expect.objectContaining({ type: 'balance.low' }),
        attempts: [
          {
            attempt_datetime: test.clock.now().toISOString(),
            duration_ms: expect.any(Number),
            http_status: 503,
            answer: 'x'.repeat(1_024),
            problem: null,
          },
        ],
      },
    ]);
    // Noted after the attempt was recorded.
    await eventually(async () =>
      expect(webhook.parse((await ask('GET', `/${webhook_id}`)).body).failing_since_datetime).toBe(
        test.clock.now().toISOString(),
      ),
    );
  });

  it('has pages, newest first, that new messages do not change; also for messages of one millisecond', async () => {
    const { webhook_id } = await create();
    for (let count = 0; count < 7; count += 1) {
      if (count === 3) test.clock.advance(1_000);
      await test.hear();
    }
    await expectStatuses(webhook_id, Array<string>(7).fill('delivered'));
    const all = (await messagesOf(webhook_id)).map(({ message_id }) => message_id);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages += 1) {
      const query: string = `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = messagesReply.parse((await ask('GET', `/${webhook_id}/messages${query}`)).body);
      expect(page.pagination).toMatchObject({ limit: 2, count: page.data.length, has_more: pages < 3 });
      seen.push(...page.data.map(({ message_id }) => message_id));
      cursor = page.pagination.next_cursor;
      test.clock.advance(1_000);
      if (pages === 0) await test.hear();
    }
    expect(seen).toEqual(all);
  });

  it('of one status, and E1 to what is none', async () => {
    const { webhook_id } = await createDelivered();
    expect(await messagesOf(webhook_id, '?status=delivered')).toHaveLength(1);
    expect(await messagesOf(webhook_id, '?status=failed')).toEqual([]);
    for (const query of ['status=lost', 'limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor='])
      expect(await ask('GET', `/${webhook_id}/messages?${query}`)).toMatchObject(
        coded('E1', 400, expect.stringMatching(new RegExp(`^${query.split('=')[0]}`))),
      );
  });
});

describe('resending', () => {
  it('sends one message again with the same id, also one that was delivered, and gives it ten new attempts', async () => {
    const { webhook_id, message_id } = await createDelivered();
    shop.behave = answerWith(500);
    const { status, body } = await ask('POST', `/${webhook_id}/messages/${message_id}/resend`);
    expect([status, webhookMessage.parse(body).status]).toEqual([200, 'pending']);
    await eventually(async () => expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(2));
    const stored = await test.messages.find(webhook_id, message_id);
    expect(stored).toMatchObject({ tries: 1, state: 'pending' });
    expect(attemptsAtMost).toBe(10);
    const ids = shop.received.slice(-2).map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([message_id, message_id]);
    expect(await ask('POST', `/${webhook_id}/messages/msg_unknown/resend`)).toMatchObject(
      coded('E2', 404, 'Message not found'),
    );
  });

  it('sends all since a moment that were not delivered, or all with those, in bounded portions', async () => {
    const { webhook_id } = await create();
    await test.hear();
    test.clock.advance(1_000);
    const since = test.clock.now().toISOString();
    await test.hear();
    await expectStatuses(webhook_id, ['delivered', 'delivered']);
    const resent = async (json: object) => (await ask('POST', `/${webhook_id}/resend`, { json })).body;
    expect(await resent({ since })).toEqual({ resent: 0, next_since: null });
    expect(await resent({ since, include_delivered: true })).toEqual({ resent: 1, next_since: null });
    await eventually(async () =>
      expect((await messagesOf(webhook_id)).map(({ attempts }) => attempts.length)).toEqual([2, 1]),
    );
    const portions = { since: new Date(0), states: ['delivered'] as const, atMost: 1 };
    await expectStatuses(webhook_id, ['delivered', 'delivered']);
    expect(await test.messages.resendSince(webhook_id, portions)).toEqual({
      resent: 1,
      next: new Date(since),
    });
  });

  it.each([
    ['no moment', {}, /since/],
    ['a moment without a zone', { since: '2026-06-01T12:00:00' }, /since/],
    ['a day', { since: '2026-06-01' }, /since/],
    ['a misspelt field', { since: '2026-06-01T12:00:00Z', delivered: true }, /delivered/],
  ])('answers E1 to %s', async (_what, json, message) => {
    const { webhook_id } = await create();
    expect(await ask('POST', `/${webhook_id}/resend`, { json })).toMatchObject(
      coded('E1', 400, expect.stringMatching(message)),
    );
  });
});

describe('nobody reaches the webhooks of another organisation or mode', () => {
  const calls: readonly { method: string; path: string; json?: object }[] = [
    { method: 'GET', path: '' },
    { method: 'PUT', path: '', json: { url: 'https://shop.example/' } },
    { method: 'GET', path: '/messages' },
    { method: 'POST', path: '/messages/MESSAGE/resend' },
    { method: 'POST', path: '/resend', json: { since: '2026-01-01T00:00:00Z', include_delivered: true } },
    { method: 'POST', path: '/test' },
    { method: 'POST', path: '/roll-secret' },
    { method: 'POST', path: '/disable' },
    { method: 'POST', path: '/enable' },
    { method: 'DELETE', path: '' },
  ];

  it.each(calls)('$method /webhooks/{webhook_id}$path', async ({ method, path, json }) => {
    const { webhook_id, message_id } = await createDelivered();
    // Without what the delivery writes.
    const projection = { url: 1, description: 1, types: 1, secrets: 1, state: 1, changes: 1 };
    const stored = () =>
      test.mongo.connection.collection('webhook_endpoints').find({}, { projection }).toArray();
    const before = [await stored(), await messagesOf(webhook_id)];
    for (const caller of [other, live, { ...other, ...live }])
      expect(
        await ask(method, `/${webhook_id}${path.replace('MESSAGE', message_id)}`, { caller, json }),
      ).toMatchObject(notFound);
    expect([await stored(), await messagesOf(webhook_id)]).toEqual(before);
    for (const caller of [other, live])
      expect((await ask('GET', '', { caller })).body).toMatchObject({ webhooks: [] });
  });

  it('and a message is found through its own endpoint only', async () => {
    const { webhook_id, message_id } = await createDelivered();
    const theirs = await create({}, { caller: other });
    expect(
      await ask('POST', `/${theirs.webhook_id}/messages/${message_id}/resend`, { caller: other }),
    ).toMatchObject(coded('E2', 404, 'Message not found'));
    expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(1);
  });

  it('without a caller context for the notifier, signed by the gateway, every call is refused', async () => {
    const refused = { status: 401, body: { message: 'Unauthorised' } };
    const creation = { method: 'POST', path: null, json: { url: 'https://shop.example/' } };
    for (const { method, path, json } of [...calls, creation]) {
      const to = path === null ? '' : `/we_1${path}`;
      expect(await ask(method, to, { caller: { audience: 'billing' }, json })).toMatchObject(refused);
      expect(await ask(method, to, { caller: { validUntil: 1 }, json })).toMatchObject({ status: 503 });
      const secret = 'another-secret-that-only-tests-ever-use-0123';
      expect(await ask(method, to, { secret, json })).toMatchObject(refused);
    }
  });
});

describe('/admin/webhooks', () => {
  async function staff(path: string, json?: object, token = adminToken) {
    const reply = await fetch(`${server.url}/admin/webhooks${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    return { status: reply.status, body: (await reply.json()) as object };
  }

  it('lists and shows the webhooks of an organisation, without path, secret and answers', async () => {
    const { webhook_id, secret } = await create({ url: hooks('/path-with-token') });
    test.clock.advance(1);
    await create({ url: 'https://shop.example/' }, { caller: live });
    await create({}, { caller: other });
    shop.behave = answerWith(500, { body: 'an-answer' });
    await test.hear();
    await eventually(async () => expect((await messagesOf(webhook_id))[0]!.attempts).toHaveLength(1));
    const listed = webhooksListed.parse((await staff('?organisationId=1')).body).webhooks;
    expect(listed.map(({ mode, host }) => [mode, host])).toEqual([
      ['TEST', `127.0.0.1:${shop.port}`],
      ['LIVE', 'shop.example'],
    ]);
    await eventually(async () =>
      expect((await test.endpoint(webhook_id))?.failing?.since).toEqual(test.clock.now()),
    );
    const { body } = await staff(`/one?id=${webhook_id}`);
    expect(webhookShown.parse(body)).toMatchObject({
      id: webhook_id,
      failingSince: test.clock.now().toISOString(),
      changes: [{ by: 'key 3 of person 7', what: 'created' }],
      messages: [{ type: 'balance.low', status: 'pending', attempts: 1, result: '500' }],
    });
    expect(JSON.stringify([listed, body])).not.toMatch(/path-with-token|an-answer|balance_minor/);
    expect(JSON.stringify([listed, body])).not.toContain(secret.slice(6));
  });

  it('disables and enables; the webhook keeps who did it, and the log has an audit line with the reason', async () => {
    const { webhook_id } = await create();
    const off = await staff('/disable', { id: webhook_id, reason: 'attacks others' });
    expect(webhookShown.parse(off.body)).toMatchObject({ status: 'disabled', disabledReason: 'platform' });
    expect((await ask('POST', `/${webhook_id}/enable`)).status).toBe(409);
    const on = webhookShown.parse((await staff('/enable', { id: webhook_id })).body);
    expect(on).toMatchObject({ status: 'enabled', disabledReason: null });
    expect(on.changes.map(({ what }) => what)).toEqual(['created', 'switched off: platform', 'switched on']);
    expect(on.changes[1]!.by).not.toBe('');
    await eventually(() =>
      expect(audit.join('\n')).toMatch(/"audit":true.*"path":"\/admin\/webhooks\/disable".*"attacks others"/),
    );
  });

  it('answers 404 to an unknown id, 400 to none, and 401 without a credential', async () => {
    expect((await staff('/one?id=we_unknown')).status).toBe(404);
    expect((await staff('/disable', { id: 'we_unknown' })).status).toBe(404);
    expect((await staff('')).status).toBe(400);
    expect((await staff('?organisationId=1', undefined, 'wrong')).status).toBe(401);
    expect((await staff('/enable', { id: 'we_1' }, 'wrong')).status).toBe(401);
  });
});

function signatureIsGood(secret: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  // The library compares with its own clock.
  const at = Number(headers['webhook-timestamp']);
  const verifier = new Webhook(secret);
  const expected = verifier.sign(headers['webhook-id'] ?? '', new Date(at * 1_000), body);
  return (headers['webhook-signature'] ?? '').split(' ').includes(expected);
}
