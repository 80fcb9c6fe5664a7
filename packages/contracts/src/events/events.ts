/** The list of all events of the system, from which topology, schemas and documents are derived. */
import * as billing from './billing.ts';
import * as community from './community.ts';
import type { EventDeclaration } from './event-declaration.ts';
import * as gateway from './gateway.ts';
import * as offers from './offers.ts';

export const allEvents: readonly EventDeclaration[] = [
  gateway.OrganisationRegistered,
  gateway.OrganisationChanged,
  gateway.OrganisationApproved,
  gateway.OrganisationApprovalWithdrawn,
  gateway.SignInRequested,
  gateway.PersonInvited,
  gateway.SignUpRequested,
  offers.OfferCreated,
  offers.OfferUpdated,
  offers.PaymentLinkIssued,
  offers.OfferPaymentApplied,
  offers.OfferActivated,
  offers.OfferPaused,
  offers.OfferResumed,
  offers.OfferDisabled,
  offers.OfferEnabled,
  offers.OfferEndsSoon,
  offers.WeekEnded,
  offers.OfferEnded,
  offers.OfferDeleted,
  offers.CatalogueChanged,
  billing.OfferPaid,
  billing.BalanceCredited,
  billing.BalanceToppedUp,
  billing.BalanceLow,
  community.MemberChanged,
  community.MemberRemoved,
  community.OfferViewed,
  community.OfferClicked,
];
