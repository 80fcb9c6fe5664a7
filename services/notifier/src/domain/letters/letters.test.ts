import { describe, expect, it } from '@jest/globals';
import { cornerCafe } from '../../../test/events.ts';
import { announced, around, notifications, plain } from '../../../test/letters.ts';
import { allMails, expectedMails } from '../../../test/mails.ts';

function messageOf(
  eventName: string,
  facts: object = {},
  contact: typeof cornerCafe | undefined = cornerCafe,
) {
  const [first] = notifications(eventName, facts, { context: around(contact) });
  if (first === undefined) throw new Error(`${eventName} has no recipient`);
  const { subject, text, html } = first.message;
  return { subject: plain(subject), text: plain(text), html: plain(html) };
}

/** A change that is meant is written to the file by `npx node services/notifier/test/mails.ts`. */
it('every mail says what test/mails.txt says', () => {
  expect(allMails()).toBe(expectedMails());
});

describe('a mail', () => {
  it.each(announced.filter(([, data]) => data.mode !== undefined))(
    'of %s in TEST mode says so',
    (name, data) => {
      const test = messageOf(name, { ...data, mode: 'TEST' });
      expect(test.subject).toMatch(/^\[TEST\] /);
      expect(test.text).toMatch(/^TEST mode: no real money is involved\.\n/);
      expect(test.html).toContain('TEST mode: no real money is involved.');
      const live = messageOf(name, { ...data, mode: 'LIVE' });
      expect(live.subject + live.text + live.html).not.toContain('TEST');
    },
  );

  it('leads to the page of its mode', () => {
    for (const mode of ['TEST', 'LIVE'])
      expect(messageOf('OfferPaymentApplied', { mode }).text).toContain(`/${mode.toLowerCase()}/offers/17\n`);
  });

  it('has the figures and times of the country in its HTML too', () => {
    const large = { currency: 'EUR', netMinor: '123456789', vatMinor: '0' };
    const { html } = messageOf('OfferPaymentApplied', large, { ...cornerCafe, country: 'DE' });
    for (const said of ['1.234.567,89 EUR', '1 June 2026 at 14:00 (UTC+2)']) expect(html).toContain(said);
  });

  it.each([
    ['SignInRequested', {}, '1 June 2026 at 12:15 (UTC).'],
    // The event names the country.
    ['SignUpRequested', { country: 'DE' }, '1 June 2026 at 14:15 (UTC+2).'],
  ])('of %s is written before the organisation is known', (name, facts, time) => {
    const [mail] = notifications(name, facts, { context: around(undefined) });
    expect(plain(mail?.message.text)).toContain(`until ${time}`);
  });
});
