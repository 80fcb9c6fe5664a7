/** Hostile titles, sent through a real mail server. */
import { expect, it } from '@jest/globals';
import { openMailer } from '../src/smtp/mailer.ts';
import { endData } from './events.ts';
import { hostileTexts } from './hostile-texts.ts';
import { notifications } from './letters.ts';
import { startSmtpSink } from './smtp/smtp-sink.ts';

it('a mail has only the headers that we gave it, whatever the title contains', async () => {
  await using sink = await startSmtpSink();
  await using mailer = openMailer({ smtpUrl: sink.url, from: 'Offers <offers@ads.example>', connections: 1 });
  for (const [what, title] of [['a harmless title', 'Two for one'], ...hostileTexts] as const) {
    const [mail] = notifications('OfferEnded', { ...endData, title });
    if (mail === undefined) throw new Error('no recipient');
    expect([what, await mailer.send(mail)]).toMatchObject([what, { outcome: 'accepted' }]);
    const [harmless, received] = [sink.mails[0], sink.mails.at(-1)];
    const names = received?.headers.map(({ key }) => key);
    expect([what, names]).toEqual([what, harmless?.headers.map(({ key }) => key)]);
    expect([what, received?.subject]).toEqual([what, mail.message.subject]);
    expect(received?.to).toEqual([{ address: 'ann@cafe.example', name: '' }]);
    const header = (name: string) => received?.headers.find(({ key }) => key === name)?.value;
    expect(header('list-unsubscribe')).toBe('<https://ads.example/portal/unsubscribe/1.offerEnded>');
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(received?.text?.trimEnd()).toBe(mail.message.text.trimEnd());
  }
});
