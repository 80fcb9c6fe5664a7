/** Titles and names are written by others: whatever they contain, a mail keeps its headers, lines and markup. */
import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { cornerCafe } from '../../../test/events.ts';
import { hostileTexts } from '../../../test/hostile-texts.ts';
import { announced, around, notifications, portalUrl } from '../../../test/letters.ts';
import { switchedOffNotice } from '../webhooks/switched-off-notice.ts';
import type { Message } from './render-letter.ts';

/** Each letter with the same text in every place for text of others. */
const letters: readonly [string, (text: string) => Message | undefined][] = [
  ...announced
    // Those of signing in and up have no text of others.
    .filter(([name]) => name !== 'SignInRequested' && name !== 'SignUpRequested')
    .map(([name, data]): (typeof letters)[number] => [
      name,
      (text) => messageOf(name, { ...data, title: text, reason: text, organisationName: text }, text),
    ]),
  ['late payment', (title) => messageOf('OfferPaymentApplied', { title, outcome: 'ended' }, title)],
  [
    'webhook that was switched off',
    (name) =>
      switchedOffNotice(
        { endpointId: 'we_1', mode: 'TEST', host: hostWith(name), because: 'failing' },
        { contact: { ...cornerCafe, tradingName: name }, portalUrl, at: new Date('2026-06-01') },
      )[0]?.message,
  ],
  [
    'invitation by a hostile address',
    (text) => messageOf('PersonInvited', { invitedBy: addressWith(text) }, text),
  ],
];

/** As the parser of URLs leaves it: a text that is no host makes no endpoint. */
function hostWith(text: string): string {
  return URL.parse(`https://${text.replaceAll(' ', '-')}.evil.example/`)?.host ?? 'evil.example';
}

/** With as much of the text as an address can hold. */
function addressWith(text: string): string {
  return `${
    text
      .replace(/[^a-z0-9]+/gi, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'ann'
  }@evil.example`;
}

function messageOf(eventName: string, facts: object, tradingName: string): Message | undefined {
  return notifications(eventName, facts, { context: around({ ...cornerCafe, tradingName }) })[0]?.message;
}

/** What a mail program interprets: tags with their attributes, in order. */
const markup = ({ html }: Message) => html.match(/<[^>]*>/g);
const lines = ({ text }: Message) => text.split('\n').length;
/** What mail programs turn into links: domains, machine addresses, mail addresses, and text that begins with a scheme. */
const linked =
  /[^\s<>()]*[^\s<>()“"][.\u2024\u3002\ufe52\uff0e\uff61][\p{Cf}\p{M}]*[\p{L}]|\d+(?:\.\d+){3}|[^\s“][@\uff20\ufe6b][\p{L}\p{N}]|\p{L}:[\p{L}\p{N}\\/]|[\\/]{2}/giu;
const linksOf = ({ subject, text, html }: Message) => {
  const shown = html.replace(/<style>[^]*<\/style>/, ' ').replace(/<[^>]*>/g, ' ');
  return [subject, text, shown].flatMap((part) => part.match(linked) ?? []);
};
/** Characters that control terminals, headers or reading order, or are invisible; line feeds are our own, and some scripts need joiners. */
const unseen = /[^\P{C}\n\u200c\u200d]|[\u2028\u2029]/u;

/** @param harmless the same letter with a text that does nothing */
function expectUnharmed(message: Message | undefined, harmless: Message | undefined): void {
  if (message === undefined || harmless === undefined) throw new Error('no recipient');
  expect(message.subject).not.toMatch(/[\r\n]/);
  expect(message.headers).toEqual(harmless.headers);
  expect(lines(message)).toBe(lines(harmless));
  expect(markup(message)).toEqual(markup(harmless));
  for (const part of [message.subject, message.text, message.html]) expect(part).not.toMatch(unseen);
  expect(linksOf(message)).toEqual(linksOf(harmless));
}

const anyText = fc.string({ unit: 'binary', maxLength: 100 });
const nearlyAddresses = fc.string({
  unit: fc.constantFrom(...Array.from('ab1. @:/\\。．-_“(❤\u200d\u0301')),
  maxLength: 20,
});

describe.each(letters)('the mail of: %s', (_name, write) => {
  const harmless = write('Two for one');
  const expectHarmless = (text: string) => expectUnharmed(write(text), harmless);

  it.each(hostileTexts)('is unharmed by %s', (_what, text) => expectHarmless(text));

  it('is unharmed by any text at all', () => {
    fc.assert(fc.property(fc.oneof(anyText, nearlyAddresses), expectHarmless));
  });
});

describe('an invitation, which goes to strangers', () => {
  const write = (facts: object) =>
    messageOf('PersonInvited', { ...facts }, 'x') ?? { subject: '', text: '', html: '' };
  const plea = 'Your account is blocked, call +1 (800) 555-0199 or go to evil.example '.repeat(4);

  it('has a subject, a heading and first words without any text of others', () => {
    const [theirs, ours] = [write({ organisationName: plea, invitedBy: 'x@evil.example' }), write({})];
    expect(theirs.subject).toBe(ours.subject);
    const beginning = ({ text }: Message) => text.split('\n\n').slice(0, 2);
    expect(beginning(theirs)).toEqual(beginning(ours));
  });

  it('names organisation and inviter in at most 60 characters each, without a number that can be called', () => {
    const { text } = write({ organisationName: plea, invitedBy: `${'ann'.repeat(20)}@evil.example` });
    const shown = 'Your account is blocked, call … or go to evil example Your …';
    expect(shown).toHaveLength(60);
    expect(text).toContain(`Organisation: ${shown}\n`);
    expect(text).toMatch(/^Invited by: (ann){19}an…$/m);
    expect(write({ invitedBy: 'ann@cafe.example' }).text).toContain(
      'Invited by: ann [at] cafe [dot] example\n',
    );
  });
});

describe('texts of others', () => {
  it.each([
    ['https://evil.example/login', 'https: evil example/login'],
    ['www.evil.example', 'www evil example'],
    ['Mail ann@evil.example', 'Mail ann at evil example'],
    ['evil。example ｅｖｉｌ．example', 'evil example ｅｖｉｌ example'],
    ['evil.\u200dexample', 'evil \u200dexample'],
    ['go to 203.0.113.7', 'go to 203 0 113 7'],
    ['mailto:ann', 'mailto: ann'],
    ['\\\\evil\\share', 'evil\\share'],
  ])('make no link of %s', (title, shown) => {
    expect(messageOf('OfferEnded', { title }, 'x')?.subject).toBe(`Offer ended: “${shown}”`);
  });

  it('are in the mail unchanged, in every script', () => {
    for (const title of [
      'Zażółć gęślą',
      'مقهى الزاوية',
      'בית קפה',
      '東京 ラーメン',
      'Café 👩‍👩‍👧',
      'AT&T <3',
      'St. John’s & Co. Ltd., 12:30 – £3.50...',
      'Lunch @ 5, A/S, .NET',
    ]) {
      const { subject = '', text = '' } = messageOf('OfferEnded', { title }, title) ?? {};
      expect(subject).toBe(`Offer ended: “${title}”`);
      expect(text).toContain(`Offer: ${title}\n`);
    }
  });

  it('do not change the reading direction of the text around them', () => {
    const title = 'בית קפה 50%';
    expect(messageOf('OfferEnded', { title }, 'x')?.html).toContain(`<bdi>${title}</bdi>`);
  });
});
