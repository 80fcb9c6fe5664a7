/** Which event becomes which mail, to whom, and what makes two of them the same. */
import { BalanceCredited, BalanceLow } from '@offer-ads/contracts/billing-events';
import type { EventData } from '@offer-ads/contracts/event-declaration';
import { PersonInvited, SignInRequested } from '@offer-ads/contracts/gateway-events';
import { OfferEnded, OfferPaymentApplied, PaymentLinkIssued } from '@offer-ads/contracts/offers-events';
import { adminsAnd, adminsOf, type Contact } from './contact.ts';
import { type Letter, type Message, render } from './letter.ts';
import { balanceCredited } from './messages/balance-credited.ts';
import { balanceLow } from './messages/balance-low.ts';
import { invitation } from './messages/invitation.ts';
import { offerEnded } from './messages/offer-ended.ts';
import { offerPaid } from './messages/offer-paid.ts';
import { paymentLink } from './messages/payment-link.ts';
import { signIn } from './messages/sign-in.ts';

/** An event as announcements see it; also what is kept while nobody is known to whom it could be announced. */
export type Occurrence = {
  readonly eventName: string;
  readonly eventId: string;
  readonly organisationId: number;
  readonly data: unknown;
};

export type Notification = {
  /** One per cause and recipient: events that repeat end here. */
  readonly id: string;
  readonly eventName: string;
  readonly organisationId: number;
  readonly recipient: string;
  readonly message: Message;
  /** ISO 8601; after this the message is worthless and, being a credential, must not be kept. */
  readonly expiresAt?: string;
};

type AnnouncedToPeople =
  | typeof PaymentLinkIssued
  | typeof OfferPaymentApplied
  | typeof OfferEnded
  | typeof BalanceCredited
  | typeof BalanceLow;
/** Carry a link for one person, who may be in no contact yet. */
type WithLink = typeof SignInRequested | typeof PersonInvited;

export type Announcement = {
  readonly declaration: AnnouncedToPeople | WithLink;
  /** Empty: nobody is known yet, so it has to wait for the organisation's event. */
  readonly address: (
    occurrence: Occurrence,
    contact: Contact | undefined,
    portalUrl: string,
  ) => readonly Notification[];
};

export const announcements: readonly Announcement[] = [
  toPeopleOf(PaymentLinkIssued, {
    cause: (offer) => `payment-link/offer/${offer.offerId}`,
    recipients: (offer, contact) => adminsAnd(contact, offer.createdBy),
    write: paymentLink,
  }),
  toPeopleOf(OfferPaymentApplied, {
    cause: (payment) => `offer-paid/offer/${payment.offerId}`,
    recipients: (_payment, contact) => adminsOf(contact),
    write: offerPaid,
  }),
  toPeopleOf(OfferEnded, {
    cause: (offer) => `offer-ended/offer/${offer.offerId}`,
    recipients: (_offer, contact) => adminsOf(contact),
    write: offerEnded,
  }),
  // An offer may be credited several times and a balance run low again: each event is a cause of its own.
  toPeopleOf(BalanceCredited, {
    cause: (_credit, eventId) => `balance-credited/${eventId}`,
    recipients: (_credit, contact) => adminsOf(contact),
    write: balanceCredited,
  }),
  toPeopleOf(BalanceLow, {
    cause: (_balance, eventId) => `balance-low/${eventId}`,
    recipients: (_balance, contact) => adminsOf(contact),
    write: balanceLow,
  }),
  // Each link is a cause of its own: the latest is the one that works.
  toOnePerson(SignInRequested, { cause: (eventId) => `sign-in/${eventId}`, write: signIn }),
  toOnePerson(PersonInvited, { cause: (eventId) => `invitation/${eventId}`, write: invitation }),
];

/** The announcement that a kept occurrence belongs to. */
export function announcementOf(eventName: string): Announcement | undefined {
  return announcements.find(({ declaration }) => declaration.name === eventName);
}

function toPeopleOf<D extends AnnouncedToPeople>(
  declaration: D,
  o: {
    readonly cause: (data: EventData<D>, eventId: string) => string;
    readonly recipients: (data: EventData<D>, contact: Contact) => readonly string[];
    readonly write: (data: EventData<D>, contact: Contact, portalUrl: string) => Letter;
  },
): Announcement {
  return {
    declaration,
    address: ({ data: untyped, eventName, eventId, organisationId }, contact, portalUrl) => {
      if (contact === undefined) return [];
      const data = declaration.schema.parse(untyped) as EventData<D>;
      const message = render(o.write(data, contact, portalUrl));
      const cause = o.cause(data, eventId);
      return o.recipients(data, contact).map((recipient) => {
        return { id: idOf(cause, recipient), eventName, organisationId, recipient, message };
      });
    },
  };
}

/** Needs no contact: the event itself says where the link may go. */
function toOnePerson<D extends WithLink>(
  declaration: D,
  o: { readonly cause: (eventId: string) => string; readonly write: (data: EventData<D>) => Letter },
): Announcement {
  return {
    declaration,
    address: ({ data: untyped, eventName, eventId, organisationId }) => {
      const data = declaration.schema.parse(untyped) as EventData<D>;
      const { email: recipient, expiresAt } = data;
      const id = idOf(o.cause(eventId), recipient);
      return [{ id, eventName, organisationId, recipient, message: render(o.write(data)), expiresAt }];
    },
  };
}

function idOf(cause: string, recipient: string): string {
  return `${cause} to ${recipient.toLowerCase()}`;
}
