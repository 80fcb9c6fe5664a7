import { describe, expect, it } from '@jest/globals';
import { cornerCafe } from '../../test/events.ts';
import { addressed, announced, around, notifications } from '../../test/letters.ts';
import type { Notification } from './announcement.ts';

const recipients = (found: readonly Notification[]) => found.map(({ recipient }) => recipient);

const toPeople = announced.filter(([, data]) => data.email === undefined);
const withLinks = announced.filter(([, data]) => data.email !== undefined);

describe('recipients', () => {
  it.each(toPeople)('of %s: the enabled admins', (name, data) => {
    const people = cornerCafe.people.filter(({ role }) => role === 'admin');
    const context = around({ ...cornerCafe, people });
    expect(recipients(notifications(name, data, { context }))).toEqual([
      'ann@cafe.example',
      'bob@cafe.example',
    ]);
  });

  it.each(toPeople)('of %s: people of finance if it is about the balance, and no viewer', (name, data) => {
    const others = (['finance', 'viewer'] as const).map((role) => ({
      personId: 80,
      email: `${role}@cafe.example`,
      role,
      enabled: true,
    }));
    const context = around({ ...cornerCafe, people: [...cornerCafe.people, ...others] });
    const found = recipients(notifications(name, data, { context }));
    const isOfBalance = ['BalanceCredited', 'BalanceToppedUp', 'BalanceLow'].includes(name);
    expect(found.includes('finance@cafe.example')).toBe(isOfBalance);
    expect(found).not.toContain('viewer@cafe.example');
  });

  it('of a payment link: also the person who created the offer, while enabled', () => {
    expect(recipients(notifications('PaymentLinkIssued', {}))).toContain('dot@cafe.example');
    expect(recipients(notifications('PaymentLinkIssued', { createdBy: 4 }))).not.toContain(
      'max@cafe.example',
    );
    expect(recipients(notifications('PaymentLinkIssued', { createdBy: null }))).toHaveLength(2);
  });

  it('are listed once, although two people have the same mailbox', () => {
    const people = cornerCafe.people.map((person) => ({ ...person, email: 'Ann@cafe.example' }));
    const context = around({ ...cornerCafe, people });
    expect(notifications('OfferPaymentApplied', {}, { context })).toHaveLength(1);
    expect(notifications('PaymentLinkIssued', {}, { context })).toHaveLength(1);
  });

  it.each(toPeople)('of %s: no person who was invited and has never signed in', (name, data) => {
    const awaited = (personId: number) => ({ ...cornerCafe.people[0]!, personId, awaited: true });
    const strangers = [
      { ...awaited(91), email: 'stranger@elsewhere.example' },
      { ...awaited(92), email: 'other@elsewhere.example', role: 'marketer' as const },
    ];
    const context = around({ ...cornerCafe, people: [...cornerCafe.people, ...strangers] });
    const found = recipients(notifications(name, { ...data, createdBy: 92 }, { context }));
    expect(found.filter((recipient) => recipient.endsWith('@elsewhere.example'))).toEqual([]);
    expect(found).toContain('ann@cafe.example');
  });

  it.each(toPeople)('of %s are not known while the organisation is unknown or has no admin', (name, data) => {
    const created = { ...data, createdBy: null };
    expect(addressed(name, created, { context: around(undefined) })).toBe('nobody-known');
    const people = cornerCafe.people.filter(({ role }) => role !== 'admin');
    expect(addressed(name, created, { context: around({ ...cornerCafe, people }) })).toBe('nobody-known');
  });

  it.each(withLinks)('of %s: the address in the event, whatever the contacts say', (name, data) => {
    for (const contact of [undefined, cornerCafe])
      expect(recipients(notifications(name, data, { context: around(contact) }))).toEqual([data.email]);
  });
});

describe('a person who has switched mails off', () => {
  const annDoesNot = { context: around(cornerCafe, { wants: ({ personId }) => personId !== 1 }) };

  it.each(announced.filter(([, , optional]) => optional !== undefined))(
    'gets no mail of %s',
    (name, data) => {
      expect(recipients(notifications(name, data, annDoesNot))).toEqual(['bob@cafe.example']);
    },
  );

  it.each(announced.filter(([, , optional]) => optional === undefined))(
    'still gets mails of %s',
    (name, data) => {
      const live = { ...data, ...(data.mode && { mode: 'LIVE' }) };
      expect(notifications(name, live, annDoesNot)).toEqual(notifications(name, live));
    },
  );

  it('leaves no recipient, and the mail does not wait for one', () => {
    const context = around(cornerCafe, { wants: () => false });
    expect(addressed('OfferEnded', {}, { context })).toEqual([]);
  });

  it('does not switch them off for another person of the same mailbox', () => {
    const people = cornerCafe.people.map((person) => ({ ...person, email: 'office@cafe.example' }));
    const context = around({ ...cornerCafe, people }, { wants: ({ personId }) => personId === 2 });
    const [mail, ...more] = notifications('OfferEnded', {}, { context });
    expect(more).toEqual([]);
    // The link is for the person who has not switched the mail off.
    expect(mail?.message.headers?.['List-Unsubscribe']).toContain('/2.offerEnded');
  });
});

it.each([
  ['GBP', '29', 0],
  ['GBP', '30', 2],
  // A currency without card payments has no small credits.
  ['ISK', '1', 2],
])(
  'a credit of %s %s minor units has %i mails (decision 244, mails about small credits)',
  (currency, amountMinor, count) => {
    expect(addressed('BalanceCredited', { currency, amountMinor })).toHaveLength(count);
  },
);

describe('one-click unsubscribing', () => {
  it('is offered in mails that are not about money, with a link for each person', () => {
    const found = notifications('OfferEnded', {});
    expect(found.map(({ message }) => message.headers)).toEqual(
      [1, 2].map((personId) => ({
        'List-Unsubscribe': `<https://ads.example/portal/unsubscribe/${personId}.offerEnded>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      })),
    );
    for (const { message } of found)
      for (const body of [message.text, message.html]) expect(body).toContain('/unsubscribe/');
  });

  const oneClick = new Set(['OfferEndsSoon', 'WeekEnded', 'OfferEnded']);
  it.each(announced.filter(([name]) => !oneClick.has(name)))('is not offered with %s', (name, data) => {
    for (const { message } of notifications(name, data)) {
      expect(message.headers).toBeUndefined();
      expect(message.text + message.html).not.toContain('/unsubscribe/');
    }
  });
});

describe('the cause that makes two notifications the same', () => {
  const idsAs = (name: string, data: object, eventId: string) =>
    notifications(name, data, { eventId }).map(({ id }) => id);

  const onceForAnOffer = new Set(['PaymentLinkIssued', 'OfferPaymentApplied', 'OfferEndsSoon', 'OfferEnded']);
  it.each(announced.filter(([name]) => onceForAnOffer.has(name)))('is the offer for %s', (name, data) => {
    expect(idsAs(name, data, 'another-event')).toEqual(idsAs(name, data, 'event-1'));
    expect(idsAs(name, { ...data, offerId: 18 }, 'event-1')).not.toEqual(idsAs(name, data, 'event-1'));
  });

  it.each(announced.filter(([name]) => !onceForAnOffer.has(name)))('is the event for %s', (name, data) => {
    expect(idsAs(name, data, 'another-event')).not.toEqual(idsAs(name, data, 'event-1'));
  });

  it('is never shared by two kinds of mail or two mailboxes', () => {
    const all = announced.flatMap(([name, data]) => idsAs(name, data, 'event-1'));
    expect(new Set(all).size).toBe(all.length);
  });
});
