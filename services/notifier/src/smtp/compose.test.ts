import { expect, it } from '@jest/globals';
import MailComposer from 'nodemailer/lib/mail-composer';
import { compose } from './compose.ts';

const from = 'Offers <offers@ads.example>';
const to = { name: '', address: 'ann@cafe.example' };
const long = (words: string) => `${words} `.repeat(400);

it.each([
  ['plain and short', { text: 'Paid.\n', html: '<p>Paid.</p>' }],
  ['without a line break at its end', { text: 'Paid.' }],
  [
    'with lines that end in spaces or begin with dots',
    { text: 'Paid. \n.\n..now \t\nends ', html: '<p> =20 .\n</p> ' },
  ],
  ['longer than a line', { text: long('Paid on 1 June'), html: `<p>${long('Paid = “yes”')}</p>` }],
  ['in letters that are not Latin', { text: long('Оплачено 支払い済み'), html: `<p>${long('مدفوع')}</p>` }],
  ['with both kinds of line breaks', { text: 'one\r\ntwo\nthree é\r\n', html: '<p>é\r\n\n</p>\n' }],
  ['empty', { text: '' }],
])('a mail that is %s is composed as nodemailer composes it', async (_words, content) => {
  const headers = {
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': `<https://ads.example/${'x'.repeat(200)}>`,
  };
  const mail = {
    from,
    to,
    subject: `Offer paid: “Two for one” ${'é'.repeat(90)}`,
    date: new Date(0),
    headers,
    ...content,
  };
  const message = new MailComposer({ ...mail, messageId: '<1@ads.example>' }).compile();
  expect(compose(message)).toBe((await message.build()).toString());
});
