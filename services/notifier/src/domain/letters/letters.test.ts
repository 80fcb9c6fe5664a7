import { describe, expect, it } from '@jest/globals';
import { cornerCafe } from '../../../test/events.ts';
import { announced, around, notifications, plain, portalUrl } from '../../../test/letters.ts';

function messageOf(eventName: string, facts: object = {}, country = 'GB') {
  const [first] = notifications(eventName, facts, { context: around({ ...cornerCafe, country }) });
  if (first === undefined) throw new Error(`${eventName} has no recipient`);
  const { subject, text, html } = first.message;
  return { subject: plain(subject), text: plain(text), html: plain(html) };
}
const textOf = (...of: Parameters<typeof messageOf>) => messageOf(...of).text;
/** Before that of the event. */
const ownTime = {
  startAt: '2026-06-01T09:00:00.000Z',
  expiryAt: '2026-06-08T09:00:00.000Z',
  haveSameTime: false,
};
const signInLink = 'https://ads.example/portal/sign-in#0123456789abcdef\n';
const signUpLink = 'https://ads.example/portal/sign-up#token\n';

describe('the mail', () => {
  it('of a payment link: what to pay, for what, and where', () => {
    const text = textOf('PaymentLinkIssued');
    expect(text).toContain('Net price: GBP 10.00\nVAT: GBP 2.00\nTotal: GBP 12.00');
    expect(text).toContain('Pay by card:\nhttps://billing.example/pay/x');
    expect(text).toContain(
      'Offer: Two for one\nOffer number: 17\nStarts: 2 June 2026 at 10:00 (UTC+1)\nEnds: 9 June 2026 at 10:00 (UTC+1)',
    );
  });

  it('of a group: one for all its offers, with what they cost together', () => {
    const group = {
      groupId: 7,
      title: 'Two for one (3 places)',
      places: 3,
      ...ownTime,
      netMinor: '3000',
      vatMinor: '600',
      unused: [],
    };
    for (const [name, says] of [
      ['PaymentLinkIssued', 'until the first of them ends on 8 June'],
      ['OfferPaymentApplied', 'Your offers are paid. Each runs from its own start to its own end.'],
    ] as const) {
      const { subject, text } = messageOf(name, { group });
      expect(subject).toContain('“Two for one (3 places)”');
      expect(text).toContain(says);
      expect(text).toContain('Offers: Two for one (3 places)\nFirst one starts: 1 June');
      expect(text).toContain('Net price: GBP 30.00\nVAT: GBP 6.00\nTotal: GBP 36.00');
      const ids = [17, 18].map((offerId) => notifications(name, { group, offerId }).map(({ id }) => id));
      expect(ids[0]).toEqual(ids[1]);
    }
  });

  it.each([
    [
      [2, 2],
      'Payment after the end of offers',
      'the offers had ended, so the offers are not shown. The whole net price of GBP 20.00',
    ],
    [
      [2, 1],
      'Offers paid',
      'after 1 of the 2 had ended, so that one is not shown. The price of the time before',
    ],
    [[1, 0], 'Offers paid', 'paid and run now. The time between their start and the payment is credited'],
    [[0, 0], 'Offers paid', 'paid and run now.\n'],
  ])('of a group with %j halves of its time unused: what was too late', (halves, topic, says) => {
    const unused = halves.map((unusedMs, index) => ({ offerId: 17 + index, unusedMs, scheduledMs: 2 }));
    const price = { places: 2, ...ownTime, haveSameTime: true, netMinor: '2000', vatMinor: '400' };
    const group = { groupId: 7, title: 'Two for one (2 places)', ...price, unused };
    const outcome = halves[0] === 2 ? 'ended' : 'active';
    const { subject, text } = messageOf('OfferPaymentApplied', { outcome, unusedMs: halves[0], group });
    expect(subject).toBe(`${topic}: “Two for one (2 places)”`);
    expect(text).toContain(says);
  });

  it.each([
    ['OfferEndsSoon', { paused: 1 }, 'Offers end soon', '1 of them is paused, so members do not see it'],
    [
      'OfferEnded',
      { unusedMs: 0 },
      'Offers ended',
      'They were shown to members for the whole of their time.',
    ],
    ['OfferEnded', { unusedMs: 1 }, 'Offers ended', 'is credited to your LIVE balance; another message'],
  ])(
    'of the end of a group (%s, %j): one for all its offers, with their places',
    (name, facts, topic, says) => {
      const places = ['Soho', '51.5, -0.1'].map((label, index) => ({ offerId: 17 + index, label }));
      const data = { group: { groupId: 7, title: 'Two for one (2 places)', places, unused: [], ...facts } };
      const { subject, text } = messageOf(name, data);
      expect(subject).toBe(`${topic}: “Two for one (2 places)”`);
      expect(text).toContain(says);
      expect(text).toContain('Offers: Two for one (2 places)\nPlace 1: Soho\nPlace 2: 51.5, -0.1\nEnds: ');
      const link =
        name === 'OfferEndsSoon'
          ? `Extend the offers:\n${portalUrl}/live/offers/groups/7?extend=yes\n`
          : `Open the offers:\n${portalUrl}/live/offers/groups/7\n`;
      expect(text).toContain(link);
      const idsOf = (change: object) => notifications(name, { ...data, ...change }).map(({ id }) => id);
      expect(idsOf({ offerId: 17 })).toEqual(idsOf({ offerId: 18 }));
      expect(idsOf({ offerId: 17 })).not.toEqual(idsOf({ expiryAt: '2026-07-01T12:00:00.000Z' }));
    },
  );

  it('of a credit for offers of a group: one, with the amount of all and the balance after them', () => {
    const group = { groupId: 7, title: 'Two for one (2 places)', amountMinor: '40', balanceMinor: '1040' };
    const factsOf = (creditId: string, offerId = 17) => ({
      offerId,
      amountMinor: '20',
      group: { ...group, creditId },
    });
    const { subject, text } = messageOf('BalanceCredited', factsOf('a'));
    expect(subject).toBe('GBP 0.40 credited for “Two for one (2 places)”');
    expect(text).toContain('Credited: GBP 0.40\nNew balance: GBP 10.40');
    const idsOf = (facts: object) => notifications('BalanceCredited', facts).map(({ id }) => id);
    expect(idsOf(factsOf('a', 18))).toEqual(idsOf(factsOf('a')));
    expect(idsOf(factsOf('b'))).not.toEqual(idsOf(factsOf('a')));
  });

  it('of a payment by card: amounts, VAT, method, dates and the portal', () => {
    const { subject, text } = messageOf('OfferPaymentApplied');
    expect(subject).toBe('Offer paid: “Two for one”');
    expect(text).toContain('Your offer is paid and starts on 2 June 2026 at 10:00 (UTC+1)');
    expect(text).toContain('Paid by: Card\nPaid on: 1 June 2026 at 13:00 (UTC+1)');
    expect(text).toContain('Net price: GBP 10.00\nVAT: GBP 2.00\nTotal: GBP 12.00');
    expect(text).toContain(portalUrl);
  });

  it('of a payment from the balance: the method, and no VAT', () => {
    const text = textOf('OfferPaymentApplied', { paymentMethod: 'B', vatMinor: '0', outcome: 'active' });
    expect(text).toContain('Your offer is paid and runs now.');
    expect(text).toContain('Paid by: Prepaid balance');
    expect(text).toContain('VAT: GBP 0.00\nTotal: GBP 10.00');
  });

  it('of a payment after the start of the offer: that the time before it is credited', () => {
    const late = textOf('OfferPaymentApplied', { outcome: 'active', unusedMs: 7_000 });
    expect(late).toContain('between its start and the payment is credited to your LIVE balance');
    const inTime = textOf('OfferPaymentApplied', { outcome: 'active' });
    expect(inTime).not.toContain('credited');
  });

  it('of a payment that came too late: the net price is credited (decision 7, late card payments)', () => {
    expect(textOf('OfferPaymentApplied', { outcome: 'ended' })).toContain(
      'after the offer had ended, so the offer is not shown. The whole net price of GBP 10.00 is credited to your LIVE balance.',
    );
    expect(textOf('OfferPaymentApplied', { outcome: 'deleted' })).toContain(
      'after the offer had been deleted',
    );
  });

  it('of an offer that staff have disabled: why, and what becomes of its time', () => {
    const { subject, text } = messageOf('OfferDisabled');
    expect(subject).toBe('Offer disabled: “Two for one”');
    expect(text).toContain('Reason: The link leads to a page that no longer exists.\nOffer: Two for one\n');
    expect(text).toContain('Disabled: 1 December 2026 at 19:00 (UTC)');
    expect(text).toContain('is credited to your LIVE balance when the offer ends, or when you delete it.');
  });

  it('of an offer that staff have enabled again', () => {
    const { subject, text } = messageOf('OfferEnabled');
    expect(subject).toBe('Offer enabled again: “Two for one”');
    expect(text).toContain('Enabled: 1 December 2026 at 20:00 (UTC)');
  });

  it('of a credit: how much, for what, since when and what the balance is now', () => {
    expect(textOf('BalanceCredited')).toContain(
      'Credited on: 1 June 2026 at 13:00 (UTC+1)\n\nCredited: GBP 1.00\nNew balance: GBP 101.00',
    );
  });

  it('of a top-up by card: what was paid, VAT on top, and what the balance is now', () => {
    const { subject, text } = messageOf('BalanceToppedUp');
    expect(subject).toBe('GBP 10.00 added to your balance');
    expect(text).toContain(
      'Paid by: Card\nPaid on: 1 June 2026 at 13:00 (UTC+1)\nNew balance: GBP 100.00\n\nAdded: GBP 10.00\nVAT: GBP 2.00\nTotal paid: GBP 12.00',
    );
  });

  it('of a top-up by the platform team: that they added it, and no payment', () => {
    const ofPlatform = textOf('BalanceToppedUp', { method: 'platform', vatMinor: '0' });
    expect(ofPlatform).toContain('has been added to your LIVE balance by the platform team.');
    expect(ofPlatform).toContain(
      'Added on: 1 June 2026 at 13:00 (UTC+1)\nNew balance: GBP 100.00\n\nAdded: GBP 10.00\n\n',
    );
  });

  it('of a low balance: what is left and which threshold was passed', () => {
    expect(textOf('BalanceLow')).toContain('has fallen below GBP 10.00');
    expect(textOf('BalanceLow')).toContain('Balance: GBP 0.90');
  });

  it('of an approval: that LIVE mode is there, and that prices count real members from now on', () => {
    const { subject, text } = messageOf('OrganisationApproved');
    expect(subject).toBe('Your organisation is approved');
    expect(text).toContain('You can now use LIVE mode');
    expect(text).toContain(
      'From now on prices count the real members of the community, in TEST and in LIVE mode.',
    );
    expect(text).toContain('Approved: 1 June 2026 at 13:00 (UTC+1)');
  });

  it('of a withdrawn approval: the reason, and what stays', () => {
    const { subject, text } = messageOf('OrganisationApprovalWithdrawn');
    expect(subject).toBe('The approval of your organisation is withdrawn');
    expect(text).toContain('Reason: The company is not in the register.');
    expect(text).toContain('You can read, pause, resume and delete them, and fetch your invoices.');
  });

  it('of an end: whether it was paid for and whether time was unused', () => {
    expect(textOf('OfferEnded')).toContain('whole of its time');
    expect(textOf('OfferEnded', { unusedMs: 1 })).toContain('credited to your LIVE balance');
    const unpaid = textOf('OfferEnded', { paid: false });
    expect(unpaid).toContain('was not paid for in time');
    // The webhook of a payment made in the last second may come after this mail (decision 7, late card payments).
    expect(unpaid).toContain('Should a payment still be on its way, its net price is credited');
  });

  it('of an offer that ends soon: when, and that extending is a purchase of its own', () => {
    const { subject, text } = messageOf('OfferEndsSoon');
    expect(subject).toBe('Offer ends soon: “Two for one”');
    expect(text).toContain('It ends on 9 June 2026 at 10:00 (UTC+1). If it should go on, extend it');
    expect(text).toContain('see the price before you buy anything');
    expect(text).not.toContain('paused');
    expect(textOf('OfferEndsSoon', { paused: true })).toContain('It is paused, so members do not see it');
  });

  it('of a week: each offer and the sums, in the formats of the country', () => {
    const { subject, text } = messageOf('WeekEnded');
    expect(subject).toBe('Your week: 1,300 views, 57 clicks');
    expect(text).toMatch(/\n23\s–\s29 November 2026: views, clicks and cost/);
    expect(text).toContain(
      'Two for one at The Crown: 1,234 views, 56 clicks, GBP 25.00\nMore offers: 2, in the sums below',
    );
    expect(text).toContain('Views: 1,300\nClicks: 57\nCost: GBP 40.00');
    const alone = { views: 1, clicks: 0, costMinor: '123456' };
    const week = { offers: [{ ...alone, offerId: 42, title: 'Salsa' }], moreOffers: 0, total: alone };
    const german = messageOf('WeekEnded', week, 'DE');
    expect(german.subject).toBe('Your week: 1 view, 0 clicks');
    expect(german.text).toContain('Salsa: 1 view, 0 clicks, 1.234,56 GBP');
  });

  it('of a sign-in: the link and when it stops working', () => {
    const text = textOf('SignInRequested');
    expect(text).toContain(signInLink);
    expect(text).toContain('until 1 June 2026 at 13:15 (UTC+1)');
  });

  it('of a sign-up: the link and when it stops working, in the date format of the named country', () => {
    const { subject, text } = messageOf('SignUpRequested');
    expect(subject).toBe('Open your advertiser account');
    expect(text).toContain(signUpLink);
    expect(text).toContain('once, until 1 June 2026 at 13:15 (UTC+1).');
    expect(text).toContain('no account is made without the link');
    const [mail] = notifications('SignUpRequested', { country: 'DE' }, { context: around(undefined) });
    expect(plain(mail?.message.text)).toContain('until 1 June 2026 at 14:15 (UTC+2).');
  });

  it('of a sign-up by a person who has an account: that it exists, and a link to it', () => {
    const { subject, text } = messageOf('SignUpRequested', { hasPlace: true });
    expect(subject).toBe('You have an advertiser account already');
    expect(text).toContain('this address has an account already');
    expect(text).toContain(signUpLink);
  });

  it('of an invitation: the inviter, the organisation, the role, the link and when it stops working', () => {
    const { subject, text } = messageOf('PersonInvited', { invitedBy: 'ann@cafe.example' });
    expect(subject).toBe('Your invitation to the advertiser portal');
    expect(text).toContain(
      'Organisation: Crown Taverns Ltd\nInvited by: ann [at] cafe [dot] example\nYour role: Marketer (offers)',
    );
    expect(text).toContain(signInLink);
    expect(text).toContain('until 1 June 2026 at 13:15 (UTC+1)');
    expect(text).toContain('the organisation below, by one of its admins.');
    const byTeam = textOf('PersonInvited', { invitedBy: null });
    expect(byTeam).toContain('the organisation below, by the platform team.');
    expect(byTeam).toContain('Invited by: the platform team');
  });

  it.each([
    ['OfferPaymentApplied', {}, 'Open the offer', '/live/offers/17'],
    ['OfferPaymentApplied', { mode: 'TEST' }, 'Open the offer', '/test/offers/17'],
    [
      'OfferPaymentApplied',
      {
        group: {
          groupId: 7,
          title: 'Two',
          places: 3,
          ...ownTime,
          netMinor: '3000',
          vatMinor: '0',
          unused: [],
        },
      },
      'Open the offers',
      '/live/offers/groups/7',
    ],
    ['OfferEndsSoon', {}, 'Extend the offer', '/live/offers/17?extend=yes'],
    ['WeekEnded', {}, 'See all results', '/live/offers?sort=most_views'],
    ['OfferEnded', {}, 'Open the offer', '/live/offers/17'],
    ['OfferDisabled', {}, 'Open the offer', '/live/offers/17'],
    ['OfferEnabled', {}, 'Open the offer', '/live/offers/17'],
    ['BalanceCredited', {}, 'Open the balance', '/live/money'],
    ['BalanceToppedUp', {}, 'Open the balance', '/live/money'],
    ['BalanceLow', {}, 'Open the balance', '/live/money'],
    ['OrganisationApproved', {}, 'Open the advertiser portal', ''],
    ['OrganisationApprovalWithdrawn', {}, 'Open the advertiser portal', ''],
  ] as const)('of %s leads to its page of the portal, in its mode', (name, data, label, page) => {
    expect(textOf(name, data)).toContain(`${label}:\n${portalUrl}${page}\n`);
  });

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
});

describe('figures and times have the format of the country', () => {
  const large = { currency: 'EUR', netMinor: '123456789', vatMinor: '0' };

  it.each([
    ['DE', 'Total: 1.234.567,89 EUR', 'Paid on: 1 June 2026 at 14:00 (UTC+2)'],
    ['US', 'Total: EUR 1,234,567.89', 'Paid on: June 1, 2026 at 12:00 PM (UTC)'],
    ['IN', 'Total: EUR 12,34,567.89', 'Paid on: 1 June 2026 at 5:30 pm (UTC+5:30)'],
    ['ZZ', 'Total: EUR 1,234,567.89', 'Paid on: 1 June 2026 at 12:00 (UTC)'],
  ])('in %s', (country, total, paidOn) => {
    const { text, html } = messageOf('OfferPaymentApplied', large, country);
    expect(text).toContain(total);
    expect(text).toContain(paidOn);
    for (const said of [total, paidOn]) expect(html).toContain(said.replace(/^.*?: /, ''));
  });

  it('and times are in UTC when a sign-in comes before the organisation is known', () => {
    const [mail] = notifications('SignInRequested', {}, { context: around(undefined) });
    expect(mail?.message.text).toContain('until 1 June 2026 at 12:15 (UTC).');
  });
});
