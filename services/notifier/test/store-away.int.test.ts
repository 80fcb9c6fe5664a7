/** What callers of the whole service are told while MongoDB is away, and what becomes of events. */
import { expect, it } from '@jest/globals';
import { adminToken } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import type { TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { usualPreferences } from '../src/domain/preferences.ts';
import { unsubscribeLinks } from '../src/unsubscribe-links.ts';
import * as events from './events.ts';
import { type NotifierUnderTest, startNotifierUnderTest } from './notifier-under-test.ts';
import { startSmtpSink } from './smtp/smtp-sink.ts';

const links = unsubscribeLinks({
  secret: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
  portalUrl: '',
});
const unsubscribe = links.urlFor({ organisationId: 1, personId: 7, mail: 'offerEnded' });
const id = 'a'.repeat(24);
const calls: readonly (readonly [string, object?])[] = [
  ['GET /internal/mail-preferences'],
  ['PUT /internal/mail-preferences', usualPreferences],
  [`GET ${unsubscribe}`],
  [`POST ${unsubscribe}`, {}],
  ['GET /webhooks'],
  ['GET /admin/notifications'],
  [`GET /admin/notifications/one?id=${id}`],
  ['POST /admin/notifications/resend', { id }],
  ['GET /admin/bounces'],
  ['POST /admin/bounces/forget', { address: 'a@b.example' }],
  ['POST /admin/people/erase', { email: 'a@b.example', personIds: [7], dryRun: true }],
  ['GET /admin/webhooks?organisationId=1'],
  [`GET /admin/webhooks/one?id=${id}`],
  ['POST /admin/webhooks/disable', { id, reason: 'x' }],
  ['GET /admin/audit'],
];

async function statusOf(notifier: NotifierUnderTest, [call, json]: (typeof calls)[number]): Promise<string> {
  const [method = '', path = ''] = call.split(' ');
  const [base, credential] = path.startsWith('/admin')
    ? [notifier.adminUrl, { authorization: `Bearer ${adminToken}`, 'x-admin-actor': 'ann' }]
    : [notifier.url, signedCaller({ audience: 'notifier', personId: 7 })];
  const reply = await fetch(`${base}${path}`, {
    method,
    headers: { ...credential, 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  await reply.arrayBuffer();
  return `${call}: ${reply.status}`;
}

const statuses = (notifier: NotifierUnderTest) => Promise.all(calls.map((call) => statusOf(notifier, call)));

const noticedMs = 3_500;

async function comeBack(notifier: NotifierUnderTest): Promise<void> {
  notifier.wire.bringBack();
  notifier.wire.cut();
  await eventually(async () => {
    for (const answer of await statuses(notifier)) expect(answer).toMatch(/: (200|404)$/);
  });
}

const failures = [
  ['down', (wire: TcpProxy) => wire.takeDown()],
  ['silent', (wire: TcpProxy) => wire.freeze({ newToo: true })],
] as const;

it.each(failures)('every route says 503 within 3 seconds while MongoDB is %s', async (_, fail) => {
  await using smtp = await startSmtpSink();
  await using notifier = await startNotifierUnderTest(smtp.url);
  await comeBack(notifier);
  await inTime(noticedMs, async () => {
    const failedAt = performance.now();
    fail(notifier.wire);
    expect(await statuses(notifier)).toEqual(calls.map(([call]) => `${call}: 503`));
    // For the next try, which begins with a MongoDB that answers.
    if (performance.now() - failedAt >= noticedMs) await comeBack(notifier);
  });
  await comeBack(notifier);
});

// At the same time, also as the tests above: mostly they wait until events come again, 10 seconds after they were put off.
it.concurrent.each(failures)(
  'while MongoDB is %s, events are put off: no attempt is counted, so none is parked',
  async (_, fail) => {
    await using smtp = await startSmtpSink();
    await using notifier = await startNotifierUnderTest(smtp.url);
    await comeBack(notifier);
    const organisation = events.registered({ organisationId: 2 });
    const payment = events.paymentApplied({ organisationId: 2, offerId: 2 });
    fail(notifier.wire);
    await notifier.publish(organisation, payment);
    const said = (text: string) => notifier.log.filter((line) => line.includes(text));
    await eventually(() => {
      for (const { id } of [organisation, payment])
        expect(said('event put off').filter((line) => line.includes(id))).not.toEqual([]);
    });
    await comeBack(notifier);
    await eventually(() => expect(smtp.mails).toHaveLength(2));
    expect(said('event not handled').concat(said('event parked'))).toEqual([]);
  },
  120_000,
);
