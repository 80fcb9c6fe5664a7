/** Titles and names are other people's words: whatever they hold, a mail keeps its headers, its lines and its markup. */
import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import {
  cornerCafe,
  creditData,
  endData,
  invitationData,
  lowData,
  paymentData,
  paymentLinkData,
  topUpData,
} from '../../../test/events.ts';
import { hostileTexts } from '../../../test/hostile-texts.ts';
import { around, notifications } from '../../../test/letters.ts';
import type { Message } from '../letter.ts';

/** Each letter with the same words at every place where words of others stand. */
const letters: readonly [string, (text: string) => Message | undefined][] = [
  ['payment link', (title) => messageOf('PaymentLinkIssued', { ...paymentLinkData, title }, title)],
  ['offer paid', (title) => messageOf('OfferPaymentApplied', { ...paymentData, title }, title)],
  [
    'late payment',
    (title) => messageOf('OfferPaymentApplied', { ...paymentData, title, outcome: 'ended' }, title),
  ],
  ['offer ended', (title) => messageOf('OfferEnded', { ...endData, title }, title)],
  ['credit', (title) => messageOf('BalanceCredited', { ...creditData, title }, title)],
  ['top-up', (name) => messageOf('BalanceToppedUp', topUpData, name)],
  ['low balance', (name) => messageOf('BalanceLow', lowData, name)],
  [
    'invitation',
    (organisationName) =>
      messageOf('PersonInvited', { ...invitationData, organisationName }, organisationName),
  ],
];

function messageOf(eventName: string, data: unknown, tradingName: string): Message | undefined {
  return notifications(eventName, data, { surroundings: around({ ...cornerCafe, tradingName }) })[0]?.message;
}

/** Everything that a mail program acts on: tags with their attributes, in their order. */
const markup = ({ html }: Message) => html.match(/<[^>]*>/g);
const lines = ({ text }: Message) => text.split('\n').length;
/** What steers terminals, headers and reading order, or is not seen; line feeds are our own, joiners shape some scripts. */
const unseen = /[^\P{C}\n\u200c\u200d]|[\u2028\u2029]/u;

function expectUnharmed(write: (text: string) => Message | undefined, text: string): void {
  const [message, harmless] = [write(text), write('Two for one')];
  if (message === undefined || harmless === undefined) throw new Error('nobody is written to');
  expect(message.subject).not.toMatch(/[\r\n]/);
  expect(message.headers).toEqual(harmless.headers);
  expect(lines(message)).toBe(lines(harmless));
  expect(markup(message)).toEqual(markup(harmless));
  for (const part of [message.subject, message.text, message.html]) expect(part).not.toMatch(unseen);
}

describe.each(letters)('the mail of a(n) %s', (_name, write) => {
  it.each(hostileTexts)('is unharmed by %s', (_what, text) => expectUnharmed(write, text));

  it('is unharmed by any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => expectUnharmed(write, text)),
    );
  });
});

describe('words of others', () => {
  it('stand in the mail as they are, in every script', () => {
    for (const title of [
      'Zażółć gęślą',
      'مقهى الزاوية',
      'בית קפה',
      '東京 ラーメン',
      'Café 👩‍👩‍👧',
      'AT&T <3',
    ]) {
      const { subject = '', text = '' } = messageOf('OfferEnded', { ...endData, title }, title) ?? {};
      expect(subject).toBe(`Offer ended: “${title}”`);
      expect(text).toContain(`Offer: ${title}\n`);
    }
  });

  it('keep their direction of reading to themselves', () => {
    const title = 'בית קפה 50%';
    expect(messageOf('OfferEnded', { ...endData, title }, 'x')?.html).toContain(`<bdi>${title}</bdi>`);
  });
});
