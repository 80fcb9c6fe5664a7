import { describe, expect, it } from '@jest/globals';
import { certificateFor } from '@offer-ads/testing/certificate';
import { openMailer } from '../../src/smtp/mailer.ts';
import { aMail } from '../delivery-under-test.ts';
import { startSmtpSink } from './smtp-sink.ts';

const mail = aMail(17);
const own = certificateFor('127.0.0.1');
const ways = ['starttls', 'first byte'] as const;

function mailerTo(smtpUrl: string, authorities?: string) {
  const from = 'Offers <offers@ads.example>';
  return openMailer({ smtpUrl, tls: 'required', authorities, from, connections: 1 });
}

describe.each(ways)('a mail to a server with TLS (%s)', (from) => {
  it('is sent when the certificate is of a known authority and for the host', async () => {
    await using sink = await startSmtpSink({ ...own, from });
    await using mailer = mailerTo(sink.url, own.cert);
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
    expect(sink.mails).toHaveLength(1);
    expect(sink.plain()).toBe(0);
  });

  it('is not sent, and neither is a password, when no authority has signed the certificate', async () => {
    await using sink = await startSmtpSink({ ...own, from });
    await using mailer = mailerTo(sink.url.replace('://', '://user:password@'));
    expect(await mailer.send(mail)).toMatchObject({
      outcome: 'unavailable',
      problem: expect.stringContaining('self-signed certificate'),
    });
    expect([sink.mails.length, sink.plain()]).toEqual([0, 0]);
  });

  it('is not sent when the certificate is for another host', async () => {
    const other = certificateFor('mail.example');
    await using sink = await startSmtpSink({ ...other, from });
    await using mailer = mailerTo(sink.url, other.cert);
    expect(await mailer.send(mail)).toMatchObject({
      outcome: 'unavailable',
      problem: expect.stringMatching(/does not match certificate|not in the cert/),
    });
    expect(sink.mails).toEqual([]);
  });
});

it('a mail waits and no password is sent when TLS is required and the server does not offer it', async () => {
  await using sink = await startSmtpSink();
  await using mailer = mailerTo(sink.url.replace('://', '://user:password@'));
  expect(await mailer.send(mail)).toMatchObject({ outcome: 'unavailable' });
  expect([sink.mails.length, sink.plain()]).toEqual([0, 0]);
});
