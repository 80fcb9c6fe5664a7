/** The mailer with a real mail server. */
import { expect, it } from '@jest/globals';
import { openMailer } from '../../src/smtp/mailer.ts';
import { aMail } from '../delivery-under-test.ts';
import { hostileTexts } from '../hostile-texts.ts';
import { notifications } from '../letters.ts';
import { startSmtpSink } from './smtp-sink.ts';

const mail = aMail(17, { message: { subject: 'Größe – 東京', text: 'text', html: '<p>html</p>' } });

async function open() {
  await using opening = new AsyncDisposableStack();
  const sink = opening.use(await startSmtpSink());
  const from = 'Offers <offers@ads.example>';
  const mailer = opening.use(openMailer({ smtpUrl: sink.url, from, connections: 1 }));
  const opened = opening.move();
  return { sink, mailer, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

it('a message is sent with the same Message-ID each time, in any script', async () => {
  await using test = await open();
  for (const _ of [1, 2]) expect(await test.mailer.send(mail)).toMatchObject({ outcome: 'accepted' });
  expect(test.sink.mails.map(({ subject }) => subject)).toEqual([mail.message.subject, mail.message.subject]);
  expect(new Set(test.sink.mails.map(({ messageId }) => messageId)).size).toBe(1);
});

it('a recipient adds no header', async () => {
  await using test = await open();
  await test.mailer.send({ ...mail, recipient: 'ann@cafe.example\r\nBcc: all@example.com' });
  for (const received of test.sink.mails) expect(received.headers.map(({ key }) => key)).not.toContain('bcc');
});

it('long header values are sent complete', async () => {
  await using test = await open();
  const headers = { 'List-Unsubscribe': `<https://ads.example/portal/unsubscribe/${'x'.repeat(120)}>` };
  await test.mailer.send({ ...mail, message: { ...mail.message, headers } });
  const received = new Map(test.sink.mails[0]?.headers.map(({ key, value }) => [key, value]));
  expect(received.get('list-unsubscribe')).toBe(headers['List-Unsubscribe']);
  expect(received.get('auto-submitted')).toBe('auto-generated');
});

it('a mail has only the headers that we gave it, whatever the title contains', async () => {
  await using test = await open();
  for (const [what, title] of [['a harmless title', 'Two for one'], ...hostileTexts] as const) {
    const [hostile] = notifications('OfferEnded', { title });
    if (hostile === undefined) throw new Error('no recipient');
    expect([what, await test.mailer.send(hostile)]).toMatchObject([what, { outcome: 'accepted' }]);
    const [harmless, received] = [test.sink.mails[0], test.sink.mails.at(-1)];
    const names = received?.headers.map(({ key }) => key);
    expect([what, names]).toEqual([what, harmless?.headers.map(({ key }) => key)]);
    expect([what, received?.subject]).toEqual([what, hostile.message.subject]);
    expect(received?.to).toEqual([{ address: 'ann@cafe.example', name: '' }]);
    const header = (name: string) => received?.headers.find(({ key }) => key === name)?.value;
    expect(header('list-unsubscribe')).toBe('<https://ads.example/portal/unsubscribe/1.offerEnded>');
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(received?.text?.trimEnd()).toBe(hostile.message.text.trimEnd());
  }
});
