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
  OfferPaymentApplied,
  PaymentLinkIssued,
} from '@offer-ads/contracts/events/offers';
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import { type Announcement, toOnePerson, toPeopleOf } from './announcement.ts';
import { adminsAnd } from './contact.ts';
import { balanceCredited } from './letters/messages/balance-credited.ts';
import { balanceLow } from './letters/messages/balance-low.ts';
import { balanceToppedUp } from './letters/messages/balance-topped-up.ts';
import { invitation } from './letters/messages/invitation.ts';
import { offerDisabled, offerEnabled } from './letters/messages/offer-disabled.ts';
import { offerEnded } from './letters/messages/offer-ended.ts';
import { offerPaid } from './letters/messages/offer-paid.ts';
import { approvalWithdrawn, organisationApproved } from './letters/messages/organisation-approved.ts';
import { paymentLink } from './letters/messages/payment-link.ts';
import { signIn } from './letters/messages/sign-in.ts';
import { signUp } from './letters/messages/sign-up.ts';

export const announcements: readonly Announcement[] = [
  toPeopleOf(PaymentLinkIssued, {
    cause: (offer) => `payment-link/offer/${offer.offerId}`,
    recipients: (offer, contact) => adminsAnd(contact, offer.createdBy),
    write: paymentLink,
  }),
  toPeopleOf(OfferPaymentApplied, {
    cause: (payment) => `offer-paid/offer/${payment.offerId}`,
    write: offerPaid,
  }),
  toPeopleOf(OfferEnded, {
    cause: (offer) => `offer-ended/offer/${offer.offerId}`,
    write: offerEnded,
    optional: 'offerEnded',
    oneClick: true,
  }),
  // Staff may disable an offer several times.
  toPeopleOf(OfferDisabled, {
    cause: (_offer, eventId) => `offer-disabled/${eventId}`,
    write: offerDisabled,
    alwaysInTestMode: true,
  }),
  toPeopleOf(OfferEnabled, {
    cause: (_offer, eventId) => `offer-enabled/${eventId}`,
    write: offerEnabled,
    alwaysInTestMode: true,
  }),
  // An offer may be credited several times, and balances go up and down, so each event is its own cause. Of a small credit the statement
  // tells, and no mail (decision 244, mails about small credits).
  toPeopleOf(BalanceCredited, {
    cause: (_credit, eventId) => `balance-credited/${eventId}`,
    write: balanceCredited,
    isWorthAMail: ({ amountMinor, currency }) => BigInt(amountMinor) >= (cardMinimumMinor(currency) ?? 0n),
  }),
  toPeopleOf(BalanceToppedUp, {
    cause: (_topUp, eventId) => `balance-topped-up/${eventId}`,
    write: balanceToppedUp,
  }),
  toPeopleOf(BalanceLow, {
    cause: (_balance, eventId) => `balance-low/${eventId}`,
    write: balanceLow,
    // No unsubscribe link, because the mail is about money and may be forwarded: only a signed-in person can end it.
    optional: 'balanceLow',
  }),
  toPeopleOf(OrganisationApproved, {
    cause: (_organisation, eventId) => `organisation-approved/${eventId}`,
    write: organisationApproved,
  }),
  toPeopleOf(OrganisationApprovalWithdrawn, {
    cause: (_organisation, eventId) => `approval-withdrawn/${eventId}`,
    write: approvalWithdrawn,
  }),
  // Each link is its own cause.
  toOnePerson(SignInRequested, { cause: (eventId) => `sign-in/${eventId}`, write: signIn }),
  toOnePerson(PersonInvited, { cause: (eventId) => `invitation/${eventId}`, write: invitation }),
  toOnePerson(SignUpRequested, { cause: (eventId) => `sign-up/${eventId}`, write: signUp }),
];

/** The announcement for a stored occurrence. */
export function announcementOf(eventName: string): Announcement | undefined {
  return announcements.find(({ declaration }) => declaration.name === eventName);
}
