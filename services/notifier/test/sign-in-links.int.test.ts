/** The token of a sign-in link is in its mail, and in the database until the mail is sent. It is in no log and no list, whatever happens to the mail. */
import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import * as events from './events.ts';
import { startNotifierUnderTest } from './notifier-under-test.ts';
import { startFaultySmtp } from './smtp/faulty-smtp.ts';
import { connect } from './test-store.ts';

const smtp = forAllTests(() => startFaultySmtp());
const notifier = forAllTests(() => startNotifierUnderTest(smtp.url));
const store = forAllTests(() => connect(notifier.mongoUrl));

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
  const listed = await notifier.admin(`/notifications?recipient=${encodeURIComponent(mailbox)}`);
  return (JSON.parse(listed) as { notifications: Line[] }).notifications;
};

/** All that people can see of this mail: the log and the lists. */
async function seenOf(link: Link): Promise<string> {
  const mails = await mailsTo(link);
  const shown = await Promise.all(
    mails.map(({ id }) => notifier.admin(`/notifications/one?id=${encodeURIComponent(id)}`)),
  );
  const all = [
    ...notifier.log,
    JSON.stringify(mails),
    ...shown,
    await notifier.admin('/parked'),
    await notifier.admin('/bounces'),
  ];
  return all.join('\n');
}

const outcomes: readonly (readonly [
  what: string,
  state: string,
  answer: (link: string) => string | undefined,
])[] = [
  ['was accepted', 'sent', () => undefined],
  ['was accepted with an answer that quotes the link', 'sent', (link) => `250 2.0.0 Ok: ${link}`],
  [
    'was refused for ever with an answer that quotes the link',
    'failed',
    (link) => `550 5.7.1 Spam: <${link}>`,
  ],
  ['was refused for now with an answer that quotes the link', 'pending', (link) => `451 4.7.1 See ${link}`],
  ['was sent over a connection that broke before the answer', 'pending', () => 'cut'],
];

it.each(outcomes)(
  'a link whose mail %s is in no log and no list, and in no store once it is settled',
  async (_what, state, answer) => {
    const link = aLink();
    smtp.behave((step, _turn, recipient) =>
      step === 'content' && recipient === link.mailbox ? answer(link.link) : undefined,
    );
    await notifier.publish(link.event);
    const seen = await eventually(async () => {
      const [mail] = await mailsTo(link);
      expect([mail?.state, mail?.attempts]).toEqual([state, expect.any(Number)]);
      expect(mail?.attempts).toBeGreaterThan(0);
      return seenOf(link);
    });
    expect(seen).not.toContain(link.token);
    expect(notifier.log.join()).not.toContain(link.mailbox);
    const stored = await store.connection.collection('notifications').find().toArray();
    expect(JSON.stringify(stored).includes(link.token)).toBe(state === 'pending');
  },
);

it('a sign-up link is sent although there is no organisation yet, and is in no log and no list', async () => {
  const link = aLink();
  const { expiresAt } = link.event.data as { expiresAt: string };
  smtp.behave(() => undefined);
  await notifier.publish(events.signUpRequested({ email: link.mailbox, url: link.link, expiresAt }));
  const seen = await eventually(async () => {
    const [mail] = await mailsTo(link);
    expect(mail).toMatchObject({ state: 'sent', event: 'SignUpRequested', organisationId: null });
    return seenOf(link);
  });
  expect(seen).not.toContain(link.token);
  expect(notifier.log.join()).not.toContain(link.mailbox);
});

it('a link that has expired is not sent, and is in no log and no list', async () => {
  const link = aLink(-1);
  smtp.behave(() => undefined);
  await notifier.publish(link.event);
  const seen = await eventually(async () => {
    const [mail] = await mailsTo(link);
    expect(mail).toMatchObject({ state: 'failed', problem: expect.stringContaining('expired') });
    return seenOf(link);
  });
  expect(seen).not.toContain(link.token);
  expect(smtp.taken.map(({ recipient }) => recipient)).not.toContain(link.mailbox);
});
