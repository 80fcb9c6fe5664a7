/** A link that opens the portal stands in its mail, and in the store until it is sent: nowhere else, whatever happens to it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { allEvents } from '@offer-ads/contracts/events/events';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace, untilConnected } from '@offer-ads/testing/stores/broker';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startNotifier } from '../src/service.ts';
import * as events from './events.ts';
import { type FaultySmtp, startFaultySmtp } from './faulty-smtp.ts';

const opened = new AsyncDisposableStack();
const log: string[] = [];
let smtp: FaultySmtp;
let broker: Broker;
let url: string;

beforeAll(async () => {
  const namespace = testNamespace();
  opened.defer(() => namespace.dispose());
  const mongo = await createTestMongo();
  opened.defer(() => mongo.dispose());
  smtp = opened.use(await startFaultySmtp());
  broker = opened.use(
    await connectBroker({
      url: namespace.url,
      service: 'admin',
      declarations: allEvents,
      logger: silentLogger,
      metrics: createMetrics('test'),
      namespace: namespace.namespace,
      confirmTimeoutMs: 60_000,
    }),
  );
  await untilConnected(broker);
  const destination = { write: (line: string) => void log.push(line) };
  const notifier = opened.use(
    await startWhenStoresServe(() =>
      startNotifier(
        {
          HOST: '127.0.0.1',
          PORT: 0,
          LOG_LEVEL: 'trace',
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          MONGO_URL: mongo.url,
          RABBITMQ_URL: namespace.url,
          SMTP_URL: smtp.url,
          SMTP_CONNECTIONS: 2,
          MAIL_FROM: 'Offers <offers@ads.example>',
          PORTAL_URL: 'https://ads.example/portal',
          NOTIFIER_CONTEXT_SECRET: 'a-context-secret-that-only-tests-ever-use-012345',
          UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
        },
        {
          logger: createLogger({ service: 'notifier', level: 'trace', destination }),
          brokerNamespace: namespace.namespace,
        },
      ),
    ),
  );
  ({ url } = notifier);
});
afterAll(async () => opened[Symbol.asyncDispose]());

const admin = async (path: string) =>
  (await fetch(`${url}/admin${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).text();

type Link = {
  readonly event: OutgoingEvent;
  readonly token: string;
  readonly link: string;
  readonly mailbox: string;
};

function aLink(minutes = 15): Link {
  const token = randomBytes(32).toString('base64url');
  const link = `https://ads.example/portal/sign-in#${token}`;
  const mailbox = `reader-${token.slice(0, 8).toLowerCase()}@cafe.example`;
  const expiresAt = new Date(Date.now() + minutes * 60_000).toISOString();
  return {
    event: events.signInRequested({ email: mailbox, signInUrl: link, expiresAt }),
    token,
    link,
    mailbox,
  };
}

type Line = {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly problem: string | null;
};
const mailsTo = async ({ mailbox }: Link) => {
  const listed = await admin(`/notifications?recipient=${encodeURIComponent(mailbox)}`);
  return (JSON.parse(listed) as { notifications: Line[] }).notifications;
};

/** Everything that people get to see of it. */
async function seenOf(link: Link): Promise<string> {
  const mails = await mailsTo(link);
  const shown = await Promise.all(
    mails.map(({ id }) => admin(`/notifications/one?id=${encodeURIComponent(id)}`)),
  );
  const all = [...log, JSON.stringify(mails), ...shown, await admin('/parked'), await admin('/bounces')];
  return all.join('\n');
}

const fates: readonly (readonly [
  what: string,
  state: string,
  answer: (link: string) => string | undefined,
])[] = [
  ['was taken', 'sent', () => undefined],
  ['was taken, in words that quote it', 'sent', (link) => `250 2.0.0 Ok: ${link}`],
  ['was refused for ever, in words that quote it', 'failed', (link) => `550 5.7.1 Spam: <${link}>`],
  ['was refused for now, in words that quote it', 'pending', (link) => `451 4.7.1 See ${link}`],
  ['may have been taken', 'pending', () => 'cut'],
];

it.each(fates)('a link that %s stands in no log and no list', async (_what, state, answer) => {
  const link = aLink();
  smtp.behave((step, _turn, recipient) =>
    step === 'content' && recipient === link.mailbox ? answer(link.link) : undefined,
  );
  await broker.publish([link.event]);
  const seen = await eventually(async () => {
    const [mail] = await mailsTo(link);
    expect([mail?.state, mail?.attempts]).toEqual([state, expect.any(Number)]);
    expect(mail?.attempts).toBeGreaterThan(0);
    return seenOf(link);
  });
  expect(seen).not.toContain(link.token);
  expect(log.join()).not.toContain(link.mailbox);
});

it('a link to sign up goes out before there is an organisation, and stands in no log and no list', async () => {
  const token = randomBytes(32).toString('base64url');
  const mailbox = `new-${token.slice(0, 8).toLowerCase()}@bakery.example`;
  const link = `https://ads.example/portal/sign-up#${token}`;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const event = events.signUpRequested({ email: mailbox, url: link, expiresAt });
  smtp.behave(() => undefined);
  await broker.publish([event]);
  const seen = await eventually(async () => {
    const [mail] = await mailsTo({ event, token, link, mailbox });
    expect(mail).toMatchObject({ state: 'sent', event: 'SignUpRequested', organisationId: null });
    return seenOf({ event, token, link, mailbox });
  });
  expect(seen).not.toContain(token);
  expect(log.join()).not.toContain(mailbox);
});

it('a link that was too late for its 15 minutes is not sent, and stands in no log and no list', async () => {
  const link = aLink(-1);
  smtp.behave(() => undefined);
  await broker.publish([link.event]);
  const seen = await eventually(async () => {
    const [mail] = await mailsTo(link);
    expect(mail).toMatchObject({ state: 'failed', problem: expect.stringContaining('expired') });
    return seenOf(link);
  });
  expect(seen).not.toContain(link.token);
  expect(smtp.taken.map(({ recipient }) => recipient)).not.toContain(link.mailbox);
});

it('a link whose event cannot be read is parked without it', async () => {
  const link = aLink();
  await broker.publish([{ ...link.event, data: { ...(link.event.data as object), expiresAt: 'soon' } }]);
  const seen = await eventually(async () => {
    const parked = await seenOf(link);
    expect(parked).toContain(link.event.id);
    expect(await admin('/parked')).toContain('[withheld]');
    return parked;
  });
  expect(seen).not.toContain(link.token);
});
