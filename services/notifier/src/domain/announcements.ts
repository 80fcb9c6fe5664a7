/** Defines which event becomes which mail. */
import { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
  PersonInvited,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import {
  OfferDisabled,
  OfferEnabled,
  OfferEnded,
  OfferEndsSoon,
  OfferPaymentApplied,
  PaymentLinkIssued,
  WeekEnded,
} from '@offer-ads/contracts/events/offers';
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import { type Announcement, toOnePerson, toPeopleOf } from './announcement.ts';
import { adminsAnd, adminsAndFinance } from './contact.ts';
import { balanceCredited, balanceLow, balanceToppedUp } from './letters/balance-letters.ts';
import { invitation, signIn, signUp } from './letters/link-letters.ts';
import {
  offerDisabled,
  offerEnabled,
  offerEnded,
  offerEndsSoon,
  offerPaid,
  paymentLink,
  weekEnded,
  withWholeGroup,
} from './letters/offer-letters.ts';
import { approvalWithdrawn, organisationApproved } from './letters/organisation-letters.ts';

export const announcements: readonly Announcement[] = [
  toPeopleOf(PaymentLinkIssued, {
    cause: (offer) => `payment-link/${ofGroupOr(offer)}`,
    recipients: (contact, offer) => adminsAnd(contact, offer.createdBy),
    write: (offer, setting) => paymentLink(withWholeGroup(offer), setting),
  }),
  toPeopleOf(OfferPaymentApplied, {
    cause: (payment) => `offer-paid/${ofGroupOr(payment)}`,
    write: (payment, setting) => offerPaid(withWholeGroup(payment), setting),
  }),
  toPeopleOf(OfferEndsSoon, {
    cause: (offer) => `offer-ends-soon/${endingOr(offer)}`,
    write: offerEndsSoon,
    optional: 'offerEndsSoon',
    oneClick: true,
  }),
  toPeopleOf(WeekEnded, {
    write: weekEnded,
    optional: 'weeklyReport',
    oneClick: true,
  }),
  toPeopleOf(OfferEnded, {
    cause: (offer) => `offer-ended/${endingOr(offer)}`,
    write: offerEnded,
    optional: 'offerEnded',
    oneClick: true,
  }),
  toPeopleOf(OfferDisabled, { write: offerDisabled, alwaysInTestMode: true }),
  toPeopleOf(OfferEnabled, { write: offerEnabled, alwaysInTestMode: true }),
  toPeopleOf(BalanceCredited, {
    cause: ({ group }) => group && `credited/${group.creditId}`,
    recipients: adminsAndFinance,
    write: balanceCredited,
    // Of a small credit the statement tells, and no mail (decision 244, mails about small credits).
    isWorthAMail: ({ amountMinor, currency, group }) =>
      BigInt(group?.amountMinor ?? amountMinor) >= (cardMinimumMinor(currency) ?? 0n),
  }),
  toPeopleOf(BalanceToppedUp, { recipients: adminsAndFinance, write: balanceToppedUp }),
  // No unsubscribe link, because the mail is about money and may be forwarded: only a signed-in person can end it.
  toPeopleOf(BalanceLow, { recipients: adminsAndFinance, write: balanceLow, optional: 'balanceLow' }),
  toPeopleOf(OrganisationApproved, { write: organisationApproved }),
  toPeopleOf(OrganisationApprovalWithdrawn, { write: approvalWithdrawn }),
  toOnePerson(SignInRequested, signIn),
  toOnePerson(PersonInvited, invitation),
  toOnePerson(SignUpRequested, signUp),
];

type Grouped = { readonly offerId: number; readonly group?: { readonly groupId: number } | undefined };

/** One mail for all offers of a group that are paid together. */
function ofGroupOr({ offerId, group }: Grouped): string {
  return group === undefined ? `offer/${offerId}` : `group/${group.groupId}`;
}

/** One for all that end together: offers of a group may end at different times. */
function endingOr(offer: Grouped & { readonly expiryAt: string }): string {
  return offer.group === undefined ? ofGroupOr(offer) : `${ofGroupOr(offer)}/${offer.expiryAt}`;
}

/** The announcement for a stored occurrence. */
export function announcementOf(eventName: string): Announcement | undefined {
  return announcements.find(({ declaration }) => declaration.name === eventName);
}
