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
