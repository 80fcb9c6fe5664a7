import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { createMailbox } from './mailbox.ts';
import { type MailSink, startMailSink } from './server.ts';

let sink: MailSink;
beforeAll(async () => {
  sink = await startMailSink({ clock: { now: () => new Date('2026-11-20T12:00:00Z') } });
});
afterAll(async () => {
  await sink[Symbol.asyncDispose]();
});

const send = (message: object) =>
  createTransport(sink.smtpUrl).sendMail({ from: '"Offers" <offers@example.com>', ...message });
const messages = async (to: string) =>
  (await (await fetch(`${sink.url}/api/messages?to=${encodeURIComponent(to)}`)).json()) as Record<
    string,
    string
  >[];

it('a message is stored once for each recipient, and found by the address in upper or lower case', async () => {
  await send({
    to: ['ada@example.com', 'bob@example.com'],
    subject: 'Paid: “Zwei für eins”',
    text: 'Hello £12.34\n',
    html: '<p>Hello <b>£12.34</b></p>',
    headers: { 'List-Unsubscribe': '<https://ads.example/u/1>' },
  });
  expect(await messages('ADA@example.com')).toEqual([
    {
      to: 'ada@example.com',
      from: 'offers@example.com',
      subject: 'Paid: “Zwei für eins”',
      text: expect.stringMatching(/^Hello £12.34\s*$/),
      html: expect.stringContaining('<p>Hello <b>£12.34</b></p>'),
      headers: expect.objectContaining({ 'list-unsubscribe': '<https://ads.example/u/1>' }),
      receivedAt: '2026-11-20T12:00:00.000Z',
    },
  ]);
  expect(await messages('bob@example.com')).toHaveLength(1);
  expect(await messages('nobody@example.com')).toEqual([]);
});

it('the web page lists messages and shows their HTML only in a sandbox', async () => {
  await send({ to: 'eve@example.com', subject: '<script>1</script>', html: '<script>alert(1)</script>Hi' });
  const list = await (await fetch(`${sink.url}/?to=eve@example.com`)).text();
  expect(list).toContain('&lt;script&gt;1');
  const [, link = ''] = /href="(\/messages\/\d+)"/.exec(list) ?? [];
  const shown = await (await fetch(sink.url + link)).text();
  expect(shown).toContain(`sandbox="allow-popups allow-popups-to-escape-sandbox" src="${link}/html"`);
  expect(shown).not.toContain('alert(1)</script>Hi');
  const html = await fetch(`${sink.url}${link}/html`);
  expect(html.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-popups [\w-]+; default-src 'none'/,
  );
  expect(await html.text()).toContain('Hi');
});

it('a message keeps its doctype, and its links open outside the frame', async () => {
  const html = '<!doctype html><html><head><title>Hi</title></head><body><a href="/">Pay</a></body></html>';
  await send({ to: 'fay@example.com', subject: 'Hi', html });
  const list = await (await fetch(`${sink.url}/?to=fay@example.com`)).text();
  const [, link = ''] = /href="(\/messages\/\d+)"/.exec(list) ?? [];
  expect(await (await fetch(`${sink.url}${link}/html`)).text()).toMatch(
    /^<!doctype html><html><head><base target="_blank">/,
  );
});

it('the mailbox is bounded by number and size', () => {
  const message = {
    to: 'a@b.c',
    from: 'd@e.f',
    subject: '',
    text: 'x'.repeat(100),
    html: '',
    headers: {},
    receivedAt: '',
  };
  const few = createMailbox({ maxMessages: 3, maxCharacters: 1_000_000 });
  for (let i = 0; i < 10; i += 1) few.add(message);
  expect(few.list().map(({ id }) => id)).toEqual([8, 9, 10]);
  const small = createMailbox({ maxMessages: 100, maxCharacters: 250 });
  for (let i = 0; i < 10; i += 1) small.add(message);
  expect(small.list()).toHaveLength(2);
});

it('a slow mail server accepts each message late, until the fault is removed', async () => {
  const simulate = (faults: object) =>
    fetch(`${sink.url}/sim/mail`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    });
  const slowMs = 300;
  expect((await simulate({ slowMs })).status).toBe(200);
  const startedAt = performance.now();
  await send({ to: 'late@example.com', subject: 'Late', text: 'Hi' });
  // Timers may be a little early.
  expect(performance.now() - startedAt).toBeGreaterThan(slowMs - 50);
  expect(await messages('late@example.com')).toHaveLength(1);
  expect(await (await simulate({})).json()).toEqual({});
  expect((await simulate({ slowMs: -1 })).status).toBe(400);
  expect((await simulate({ slow: true })).status).toBe(400);
});
