import { describe, expect, it } from '@jest/globals';
import {
  cornerCafe,
  creditData,
  endData,
  invitationData,
  lowData,
  paymentData,
  paymentLinkData,
  signInData,
} from '../../test/events.ts';
import { announcementOf, type Notification } from './announcements.ts';
import type { Contact } from './contact.ts';

const portalUrl = 'https://ads.example/portal';

function notifications(
  eventName: string,
  data: unknown,
  contact: Contact | undefined = cornerCafe,
  eventId = 'event-1',
): readonly Notification[] {
  const occurrence = { eventName, eventId, organisationId: 1, data };
  return announcementOf(eventName)?.address(occurrence, contact, portalUrl) ?? [];
}

function textOf(eventName: string, data: unknown): string {
  return notifications(eventName, data)[0]?.message.text ?? '';
}

const recipients = (found: readonly Notification[]) => found.map(({ recipient }) => recipient);

describe('who hears', () => {
  it('of a payment: the enabled admins', () => {
    expect(recipients(notifications('OfferPaymentApplied', paymentData))).toEqual([
      'ann@cafe.example',
      'bob@cafe.example',
    ]);
  });

  it('of a payment link: also the person who created the offer, while enabled', () => {
    expect(recipients(notifications('PaymentLinkIssued', paymentLinkData))).toContain('dot@cafe.example');
    expect(
      recipients(notifications('PaymentLinkIssued', { ...paymentLinkData, createdBy: 4 })),
    ).not.toContain('max@cafe.example');
    expect(
      recipients(notifications('PaymentLinkIssued', { ...paymentLinkData, createdBy: null })),
    ).toHaveLength(2);
  });

  it('once, although the same mailbox is listed twice', () => {
    const twice = {
      ...cornerCafe,
      people: cornerCafe.people.map((person) => ({ ...person, email: 'Ann@cafe.example' })),
    };
    expect(notifications('OfferPaymentApplied', paymentData, twice)).toHaveLength(1);
  });

  it('is nobody while the organisation is unknown, except of a sign-in link or an invitation, which say themselves where they go', () => {
    const unknown = (name: string, data: unknown) =>
      announcementOf(name)?.address(
        { eventName: name, eventId: 'e', organisationId: 1, data },
        undefined,
        portalUrl,
      );
    expect(unknown('OfferPaymentApplied', paymentData)).toEqual([]);
    expect(recipients(unknown('SignInRequested', signInData) ?? [])).toEqual(['ann@cafe.example']);
    expect(recipients(unknown('PersonInvited', invitationData) ?? [])).toEqual(['eve@cafe.example']);
  });
});

describe('what makes two notifications the same', () => {
  it('is the offer for its link, its payment and its end', () => {
    for (const [name, data] of [
      ['PaymentLinkIssued', paymentLinkData],
      ['OfferPaymentApplied', paymentData],
      ['OfferEnded', endData],
    ] as const)
      expect(notifications(name, data, cornerCafe, 'another-event')[0]?.id).toBe(
        notifications(name, data)[0]?.id,
      );
  });

  it('is the event itself for a credit, a low balance and a sign-in link', () => {
    for (const [name, data] of [
      ['BalanceCredited', creditData],
      ['BalanceLow', lowData],
      ['SignInRequested', signInData],
      ['PersonInvited', invitationData],
    ] as const)
      expect(notifications(name, data, cornerCafe, 'another-event')[0]?.id).not.toBe(
        notifications(name, data)[0]?.id,
      );
  });
});

describe('what the mail says', () => {
  it('of a payment link: what to pay, and where', () => {
    const text = textOf('PaymentLinkIssued', paymentLinkData);
    expect(text).toContain('Net price: 10.00 GBP\nVAT: 2.00 GBP\nTotal: 12.00 GBP');
    expect(text).toContain('Pay by card:\nhttps://ads.example/pay/abc');
    expect(text).toContain(
      'Offer: Two for one\nOffer number: 17\nStarts: 2 June 2026 at 09:00 UTC\nEnds: 9 June 2026 at 09:00 UTC',
    );
  });

  it('of a payment by card: amounts, VAT, method, dates and the portal', () => {
    const text = textOf('OfferPaymentApplied', paymentData);
    expect(text).toContain('goes live on 2 June 2026 at 09:00 UTC');
    expect(text).toContain('Paid by: Card\nPaid on: 1 June 2026 at 12:00 UTC');
    expect(text).toContain('Net price: 10.00 GBP\nVAT: 2.00 GBP\nTotal: 12.00 GBP');
    expect(text).toContain(portalUrl);
  });

  it('of a payment from the balance: no VAT', () => {
    const text = textOf('OfferPaymentApplied', {
      ...paymentData,
      paymentMethod: 'B',
      vatMinor: '0',
      outcome: 'active',
    });
    expect(text).toContain('is live');
    expect(text).toContain('Paid by: Prepaid balance');
    expect(text).toContain('VAT: 0.00 GBP\nTotal: 10.00 GBP');
  });

  it('of a payment that came too late: the net price is credited to the balance (decision 7)', () => {
    expect(textOf('OfferPaymentApplied', { ...paymentData, outcome: 'ended' })).toContain(
      'after the offer had ended, so the offer is not shown. The whole net price of 10.00 GBP is credited to your LIVE balance.',
    );
    expect(textOf('OfferPaymentApplied', { ...paymentData, outcome: 'deleted' })).toContain(
      'after the offer had been deleted',
    );
  });

  it('of a credit and of a low balance: the amounts', () => {
    expect(textOf('BalanceCredited', creditData)).toContain('Credited: 5.00 GBP\nNew balance: 55.00 GBP');
    expect(textOf('BalanceLow', lowData)).toContain('below 10.00 GBP');
  });

  it('of an end: whether it was paid for and whether time was unused', () => {
    expect(textOf('OfferEnded', endData)).toContain('whole of its time');
    expect(textOf('OfferEnded', { ...endData, unusedMs: 1 })).toContain('credited to your LIVE balance');
    const unpaid = textOf('OfferEnded', { ...endData, paid: false });
    expect(unpaid).toContain('was not paid for in time');
    // The webhook of a payment made in the last second may come after this mail (decision 7).
    expect(unpaid).toContain('Should a payment still be on its way, its net price is credited');
  });

  it('of a sign-in: the link and when it stops working', () => {
    const text = textOf('SignInRequested', signInData);
    expect(text).toContain(signInData.signInUrl);
    expect(text).toContain('until 1 June 2026 at 12:15 UTC');
  });

  it('of an invitation: who invites, to what, as what, the link and when it stops working', () => {
    const text = textOf('PersonInvited', invitationData);
    expect(text).toContain('ann@cafe.example has invited you');
    expect(text).toContain('Organisation: Corner Cafe Ltd\nYour role: Marketer (offers)');
    expect(text).toContain(invitationData.signInUrl);
    expect(text).toContain('until 8 June 2026 at 12:00 UTC');
    expect(textOf('PersonInvited', { ...invitationData, invitedBy: null })).toContain(
      'The platform team has',
    );
  });

  it('of an invitation to an organisation with a hostile name: the name, and nothing that it tried', () => {
    const organisationName = '</title><img src=x>\r\nBcc: all@example.com';
    const [invited] = notifications('PersonInvited', { ...invitationData, organisationName });
    expect(invited?.message.subject).not.toMatch(/[\r\n]/);
    expect(invited?.message.html).not.toContain('<img');
    expect(invited?.message.text).not.toMatch(/^Bcc:/m);
  });

  it('of anything in TEST mode: [TEST], first in the subject', () => {
    for (const [name, data] of [
      ['PaymentLinkIssued', paymentLinkData],
      ['OfferPaymentApplied', paymentData],
      ['OfferEnded', endData],
      ['BalanceCredited', creditData],
      ['BalanceLow', lowData],
    ] as const) {
      expect(notifications(name, { ...data, mode: 'TEST' })[0]?.message.subject).toMatch(/^\[TEST\] /);
      expect(notifications(name, data)[0]?.message.subject).not.toContain('TEST');
    }
  });

  it('of an offer with a hostile title: the title, and nothing that it tried', () => {
    const title = '<script>x</script>\r\nBcc: all@example.com';
    for (const { subject, html } of notifications('OfferPaymentApplied', { ...paymentData, title }).map(
      (n) => n.message,
    )) {
      expect(subject).toBe('Offer paid: “<script>x</script> Bcc: all@example.com”');
      expect(html).not.toContain('<script>');
    }
  });
});
