import { describe, expect, it } from '@jest/globals';
import { openMailer } from '../../src/smtp/mailer.ts';
import { startSmtpSink } from './smtp-sink.ts';

const mail = {
  id: 'offer-paid/offer/17 to ann@cafe.example',
  recipient: 'ann@cafe.example',
  message: { subject: 'Größe – 東京', text: 'text', html: '<p>html</p>' },
};
const from = 'Offers <offers@ads.example>';

describe('the mailer', () => {
  it('sends a message with the same Message-ID each time, in any script', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
    expect(sink.mails.map(({ subject }) => subject)).toEqual([mail.message.subject, mail.message.subject]);
    expect(new Set(sink.mails.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('lets neither recipient nor subject add a header', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    const subject = 'Hi\r\nBcc: all@example.com';
    expect(await mailer.send({ ...mail, message: { ...mail.message, subject } })).toMatchObject({
      outcome: 'accepted',
    });
    await mailer.send({ ...mail, recipient: 'ann@cafe.example\r\nBcc: all@example.com' });
    for (const received of sink.mails) expect(received.headers.map(({ key }) => key)).not.toContain('bcc');
  });

  it('sends long header values complete', async () => {
    await using sink = await startSmtpSink();
    await using mailer = openMailer({ smtpUrl: sink.url, from, connections: 1 });
    const headers = { 'List-Unsubscribe': `<https://ads.example/portal/unsubscribe/${'x'.repeat(120)}>` };
    await mailer.send({ ...mail, message: { ...mail.message, headers } });
    const received = new Map(sink.mails[0]?.headers.map(({ key, value }) => [key, value]));
    expect(received.get('list-unsubscribe')).toBe(headers['List-Unsubscribe']);
    expect(received.get('auto-submitted')).toBe('auto-generated');
  });
});
