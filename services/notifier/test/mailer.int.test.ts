import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openMailer } from '../src/mailer.ts';
import { startSmtpSink } from './smtp-sink.ts';

const mail = {
  id: 'offer-paid/offer/17 to ann@cafe.example',
  recipient: 'ann@cafe.example',
  message: { subject: 'Größe – 東京', text: 'text', html: '<p>html</p>' },
};
const from = 'Offers <offers@ads.example>';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** Speaks a given line as its greeting and hangs up. */
async function grumpyServer(greeting: string): Promise<string> {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(`${greeting}\r\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the mailer', () => {
  it('sends the same message under the same id each time, in any script', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    expect(await mailer.send(mail)).toEqual({ outcome: 'accepted' });
    expect(await mailer.send(mail)).toEqual({ outcome: 'accepted' });
    expect(sink.mails.map(({ subject }) => subject)).toEqual([mail.message.subject, mail.message.subject]);
    expect(new Set(sink.mails.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('adds no header, whatever the recipient and the subject hold', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    await mailer.send({ ...mail, message: { ...mail.message, subject: 'Hi\r\nBcc: all@example.com' } });
    await mailer.send({ ...mail, recipient: 'ann@cafe.example\r\nBcc: all@example.com' });
    for (const received of sink.mails) expect(received.headers.map(({ key }) => key)).not.toContain('bcc');
  });

  it('sends the headers of a message whole, however long their values', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    const headers = { 'List-Unsubscribe': `<https://ads.example/portal/unsubscribe/${'x'.repeat(120)}>` };
    await mailer.send({ ...mail, message: { ...mail.message, headers } });
    const received = new Map(sink.mails[0]?.headers.map(({ key, value }) => [key, value]));
    expect(received.get('list-unsubscribe')).toBe(headers['List-Unsubscribe']);
    expect(received.get('auto-submitted')).toBe('auto-generated');
  });

  it.each([
    [450, false],
    [550, true],
  ])('tells a refusal of the recipient with %i from the other kind', async (code, permanent) => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    sink.refuseWith(code);
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'refused', permanent });
  });

  it.each([
    ['is not there', async () => 'smtp://127.0.0.1:1'],
    ['greets nobody today', () => grumpyServer('554 no service')],
    ['hangs up', () => grumpyServer('421 closing')],
  ])('tries again later when the server %s', async (_what, url) => {
    await using mailer = openMailer({ smtpUrl: await url(), from, connections: 1 });
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'refused', permanent: false });
  });

  it('tries again later when our own credentials are refused', async () => {
    await using sink = await startSmtpSink();
    const smtpUrl = sink.url.replace('smtp://', 'smtp://user:password@');
    await using mailer = openMailer({ smtpUrl, from, connections: 1 });
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'refused', permanent: false });
  });
});
