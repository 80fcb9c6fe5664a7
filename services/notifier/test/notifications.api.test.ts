import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openBouncesStore } from '../src/bounces-store.ts';
import type { Notification } from '../src/domain/announcement.ts';
import { notificationAdminRoutes } from '../src/http/notification-admin-routes.ts';
import { registerStore } from '../src/register-store.ts';
import { messageIdOf } from '../src/smtp/mailer.ts';
import { waitingStore } from '../src/waiting-store.ts';
import { aMail, setUpDelivery } from './delivery-under-test.ts';
import { cornerCafe } from './events.ts';

const hour = 3_600_000;

const test = forAllTests(() => setUpDelivery());
const delivery = forAllTests(() => test.deliver());
const server = forAllTests(async () => {
  const bounces = await openBouncesStore(test.mongo);
  return startTestServer((app) =>
    notificationAdminRoutes(app, {
      register: registerStore(test.mongo),
      bounces,
      messageIdOf: (id) => messageIdOf(id, 'Offers <offers@ads.example>'),
      wakeDelivery: delivery.wake,
      admin: testAdminGuard(),
    }),
  );
});
beforeEach(() => test.smtp.behave(() => undefined));
afterEach(async () => {
  await test.collection().deleteMany({});
  await test.mongo.connection.collection('bounces').deleteMany({});
  test.smtp.taken.length = 0;
});

async function ask(path: string, json?: object, token = adminToken) {
  const reply = await fetch(`${server.url}${path}`, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-admin-actor': 'ann',
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

type Line = { id: string; state: string; recipient: string };
const listed = async (query = '') => (await ask(`/admin/notifications${query}`)).body.notifications as Line[];
const show = async (id: string) => (await ask(`/admin/notifications/one?id=${encodeURIComponent(id)}`)).body;
const resend = (id: string) => ask('/admin/notifications/resend', { id });

async function sent(...mails: readonly Notification[]): Promise<void> {
  await test.put(...mails);
  delivery.wake();
  await settled();
}

async function settled(): Promise<void> {
  await eventually(async () => {
    const open = (await test.documents()).filter(({ state }) => ['pending', 'sending'].includes(state));
    expect(open).toEqual([]);
  });
}

const letWait = () =>
  test.mongo.transaction((session) => {
    const happenedAt = '2026-06-01T12:00:00.000Z';
    const occurrence = { eventName: 'BalanceLow', eventId: 'e1', organisationId: 2, happenedAt, data: {} };
    return waitingStore(test.mongo).holdBack(session, occurrence, new Date());
  });
const refuseAll = (reply: string) => test.smtp.behave((step) => (step === 'RCPT' ? reply : undefined));

describe('the list', () => {
  it('has the mails that match the query, the latest first', async () => {
    await sent(aMail(1), aMail(2, { organisationId: 2, recipient: 'Bob@cafe.example' }));
    refuseAll('550 5.7.1 Blocked');
    await sent(aMail(3));
    await letWait();
    const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
    expect((await ids('')).slice(0, 2)).toEqual(['BalanceLow/e1', aMail(3).id]);
    expect(await ids('')).toHaveLength(4);
    expect((await ids('?state=sent')).toSorted()).toEqual([
      aMail(1).id,
      aMail(2, { recipient: 'Bob@cafe.example' }).id,
    ]);
    expect(await ids('?state=failed')).toEqual([aMail(3).id]);
    expect(await ids('?state=waiting')).toEqual(['BalanceLow/e1']);
    expect(await ids('?state=pending')).toEqual([]);
    expect(await ids('?organisationId=2')).toEqual([
      'BalanceLow/e1',
      aMail(2, { recipient: 'Bob@cafe.example' }).id,
    ]);
    expect(await ids('?recipient=bob@CAFE.example')).toEqual([
      aMail(2, { recipient: 'Bob@cafe.example' }).id,
    ]);
    expect(await ids('?limit=1')).toEqual(['BalanceLow/e1']);
    expect(await ids(`?since=${new Date(Date.now() + hour).toISOString()}`)).toEqual([]);
    expect((await ask('/admin/notifications?state=lost')).status).toBe(400);
  });

  it('never contains the text of a mail, and neither does any other reply', async () => {
    const message = {
      subject: 'Your sign-in link',
      text: 'https://ads.example/sign-in#secret-1',
      html: '<a href="https://ads.example/sign-in#secret-2">',
      headers: { 'List-Unsubscribe': '<https://ads.example/unsubscribe/secret-3>' },
    };
    const link = aMail(1, { message, expiresAt: new Date(Date.now() + hour).toISOString() });
    const other = aMail(2, { message });
    refuseAll('550 5.7.1 Blocked for https://ads.example/sign-in#secret-4');
    await sent(link, other);
    const replies = [
      await listed(),
      await show(link.id),
      await show(other.id),
      await resend(link.id),
      await resend(other.id),
    ];
    expect(JSON.stringify(replies)).toContain('Your sign-in link');
    expect(JSON.stringify(replies)).not.toContain('secret');
    await settled();
  });

  it('and the other admin routes need the admin token', async () => {
    for (const path of ['/admin/notifications', '/admin/notifications/one?id=1', '/admin/bounces'])
      expect((await ask(path, undefined, 'wrong')).status).toBe(401);
    expect((await ask('/admin/notifications/resend', { id: '1' }, 'wrong')).status).toBe(401);
  });
});

describe('a notification', () => {
  it('is shown with the result of each attempt', async () => {
    const first = test.smtp.reached('RCPT') + 1;
    test.smtp.behave((step, turn) =>
      step === 'RCPT' && turn === first ? '450 4.2.0 Greylisted' : undefined,
    );
    await sent(aMail(1));
    expect(await show(aMail(1).id)).toMatchObject({
      state: 'sent',
      attempts: 2,
      messageId: test.smtp.taken[0]?.messageId,
      problem: null,
      history: [
        { state: 'pending', problem: expect.stringContaining('450 4.2.0 Greylisted'), uncertain: false },
        { state: 'sent', problem: null, reply: '250 2.0.0 Ok: queued' },
      ],
      resends: [],
    });
  });

  it('that does not exist is 404', async () => {
    expect((await ask('/admin/notifications/one?id=none')).status).toBe(404);
    expect((await resend('none')).status).toBe(404);
  });
});

it('unsent mails are counted, with the age of the oldest', async () => {
  const register = registerStore(test.mongo);
  expect(await register.unsent()).toEqual({ waiting: 0, pending: 0, oldest: undefined });
  await letWait();
  const expiresAt = new Date(Date.now() + hour).toISOString();
  const before = Date.now() - 1_000;
  test.smtp.behave((step) => (step === 'RCPT' ? '450 4.2.0 Greylisted' : undefined));
  await test.put(aMail(1), aMail(2, { expiresAt }));
  const { waiting, pending, oldest } = await register.unsent();
  expect({ waiting, pending }).toEqual({ waiting: 1, pending: 2 });
  expect(oldest?.getTime()).toBeGreaterThan(before);
  test.smtp.behave(() => undefined);
  delivery.wake();
  await settled();
});

describe('sending again', () => {
  it('makes a new attempt with the same Message-ID, and records who asked for it', async () => {
    await sent(aMail(1));
    const reply = await resend(aMail(1).id);
    expect(reply).toMatchObject({ status: 200, body: { state: 'pending', attempts: 0 } });
    await settled();
    expect(test.smtp.taken).toHaveLength(2);
    expect(new Set(test.smtp.taken.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await show(aMail(1).id)).toMatchObject({
      state: 'sent',
      history: [{ state: 'sent' }, { state: 'sent' }],
      resends: [{ at: expect.any(String), by: 'ann' }],
    });
  });

  it('works for parked mails and addresses on the bounce list; an accepted mail removes the address from it', async () => {
    refuseAll('550 5.1.1 Nobody here');
    await sent(aMail(1, { recipient: 'ann@cafe.example' }));
    await sent(aMail(2, { recipient: 'ann@cafe.example' }));
    expect((await listed()).map(({ state }) => state).toSorted()).toEqual(['failed', 'suppressed']);
    expect((await ask('/admin/bounces')).body).toMatchObject({
      bounces: [{ address: 'ann@cafe.example', refusals: 1 }],
    });
    test.smtp.behave(() => undefined);
    for (const { id } of await listed()) expect((await resend(id)).status).toBe(200);
    await settled();
    expect((await listed()).map(({ state }) => state)).toEqual(['sent', 'sent']);
    expect((await ask('/admin/bounces')).body).toEqual({ bounces: [] });
  });

  it('is refused, with the reason, while no recipient is known, and for a link that was sent', async () => {
    await letWait();
    const link = aMail(1, { expiresAt: new Date(Date.now() + hour).toISOString() });
    await sent(link);
    for (const [id, reason] of [
      ['BalanceLow/e1', 'No receiver is known'],
      [link.id, 'ask for a new one'],
    ] as const)
      expect(await resend(id)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining(reason) },
      });
    expect(test.smtp.taken).toHaveLength(1);
  });

  it('is refused, with the reason, for people who have left the organisation, and not for the others', async () => {
    await sent(aMail(1, { recipient: 'Ann@cafe.example' }), aMail(2, { recipient: 'bob@cafe.example' }));
    const [ann, bob] = cornerCafe.people;
    const contact = { ...cornerCafe, people: [{ ...ann, enabled: false }, bob] };
    const contacts = test.mongo.connection.collection<{ _id: number; contact: object }>('contacts');
    await contacts.insertOne({ _id: 1, contact });
    const replies = (await listed()).map(async ({ id, recipient }) => [recipient, (await resend(id)).status]);
    expect(new Map((await Promise.all(replies)) as [string, number][])).toEqual(
      new Map([
        ['Ann@cafe.example', 409],
        ['bob@cafe.example', 200],
      ]),
    );
    await settled();
    await contacts.deleteMany({});
  });

  it('is refused, with the reason, while the mail is being sent', async () => {
    const answer = Promise.withResolvers<string>();
    test.smtp.behave((step) => (step === 'content' ? answer.promise : undefined));
    await test.put(aMail(1));
    delivery.wake();
    await eventually(async () => expect((await show(aMail(1).id)).state).toBe('sending'));
    expect(await resend(aMail(1).id)).toMatchObject({ status: 409 });
    answer.resolve('250 2.0.0 Ok');
    await settled();
    expect(test.smtp.taken).toHaveLength(1);
  });
});

describe('the bounce list', () => {
  it('loses one address at a time, in upper or lower case', async () => {
    refuseAll('550 5.1.1 Nobody here');
    await sent(aMail(1, { recipient: 'Ann@cafe.example' }));
    expect(await ask('/admin/bounces/forget', { address: 'ANN@cafe.example' })).toEqual({
      status: 200,
      body: { address: 'ANN@cafe.example' },
    });
    expect((await ask('/admin/bounces/forget', { address: 'ann@cafe.example' })).status).toBe(404);
    test.smtp.behave(() => undefined);
    await sent(aMail(2, { recipient: 'ann@cafe.example' }));
    expect(test.smtp.taken).toHaveLength(1);
  });
});
