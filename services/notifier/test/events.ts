/** Events as the other services write them; name only what matters to the test. */
import { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import {
  type OrganisationApprovalWithdrawn,
  type OrganisationApproved,
  OrganisationChanged,
  type OrganisationFacts,
  OrganisationRegistered,
  PersonInvited,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import {
  type OfferDisabled,
  type OfferEnabled,
  OfferEnded,
  OfferPaused,
  OfferPaymentApplied,
  PaymentLinkIssued,
} from '@offer-ads/contracts/events/offers';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';

const at = new Date('2026-06-01T12:00:00.000Z');
const offer = {
  offerId: 17,
  organisationId: 1,
  mode: 'LIVE' as const,
  title: 'Two for one',
  startAt: '2026-06-02T09:00:00.000Z',
  expiryAt: '2026-06-09T09:00:00.000Z',
};
const price = { currency: 'GBP', netMinor: '1000', vatMinor: '200' };

/** Ann and Bob are admins, Dot created the offers, Max is an admin who was disabled. */
export const cornerCafe: OrganisationFacts = {
  organisationId: 1,
  name: 'Corner Cafe Ltd',
  tradingName: 'Corner Cafe',
  country: 'GB',
  currency: 'GBP',
  enabled: true,
  people: [
    { personId: 1, email: 'ann@cafe.example', role: 'admin', enabled: true },
    { personId: 2, email: 'bob@cafe.example', role: 'admin', enabled: true },
    { personId: 3, email: 'dot@cafe.example', role: 'marketer', enabled: true },
    { personId: 4, email: 'max@cafe.example', role: 'admin', enabled: false },
  ],
};

export const paymentLinkData: EventData<typeof PaymentLinkIssued> = {
  ...offer,
  ...price,
  createdBy: 3,
  paymentUrl: 'https://ads.example/pay/abc',
};

export const paymentData: EventData<typeof OfferPaymentApplied> = {
  ...offer,
  ...price,
  createdBy: 3,
  paymentMethod: 'E',
  paidAt: '2026-06-01T12:00:00.000Z',
  outcome: 'scheduled',
  unusedMs: 0,
  scheduledMs: 604_800_000,
};

export const creditData: EventData<typeof BalanceCredited> = {
  organisationId: 1,
  mode: 'LIVE',
  currency: 'GBP',
  balanceMinor: '5500',
  offerId: 17,
  title: 'Two for one',
  amountMinor: '500',
};

export const topUpData: EventData<typeof BalanceToppedUp> = {
  organisationId: 1,
  mode: 'LIVE',
  currency: 'GBP',
  balanceMinor: '15500',
  netMinor: '10000',
  vatMinor: '2000',
  method: 'card',
};

export const lowData: EventData<typeof BalanceLow> = {
  organisationId: 1,
  mode: 'LIVE',
  currency: 'GBP',
  balanceMinor: '900',
  thresholdMinor: '1000',
};

export const approvalData: EventData<typeof OrganisationApproved> = { organisationId: 1 };

export const withdrawalData: EventData<typeof OrganisationApprovalWithdrawn> = {
  organisationId: 1,
  reason: 'The company is not in the register.',
};

export const endData: EventData<typeof OfferEnded> = {
  ...offer,
  paid: true,
  unusedMs: 0,
  scheduledMs: 604_800_000,
  endedAt: offer.expiryAt,
};

export const disablingData: EventData<typeof OfferDisabled> = {
  ...offer,
  disabledAt: '2026-06-03T09:00:00.000Z',
  reason: 'Its terms promise more than the description.',
};

export const enablingData: EventData<typeof OfferEnabled> = {
  ...offer,
  enabledAt: '2026-06-04T09:00:00.000Z',
};

export const signInData: EventData<typeof SignInRequested> = {
  organisationId: 1,
  personId: 1,
  email: 'ann@cafe.example',
  signInUrl: 'https://ads.example/portal/sign-in/0123456789abcdef',
  expiresAt: '2026-06-01T12:15:00.000Z',
};

export const invitationData: EventData<typeof PersonInvited> = {
  organisationId: 1,
  organisationName: 'Corner Cafe Ltd',
  personId: 5,
  email: 'eve@cafe.example',
  role: 'marketer',
  invitedBy: 'ann@cafe.example',
  signInUrl: 'https://ads.example/portal/sign-in#fedcba9876543210',
  expiresAt: '2026-06-08T12:00:00.000Z',
};

export const signUpData: EventData<typeof SignUpRequested> = {
  email: 'new@bakery.example',
  country: 'GB',
  hasPlace: false,
  url: 'https://ads.example/portal/sign-up#0123456789fedcba',
  expiresAt: '2026-06-02T12:00:00.000Z',
};

export function registered(facts: Partial<OrganisationFacts> = {}, version = 1): OutgoingEvent {
  const data = { ...cornerCafe, ...facts };
  return event(OrganisationRegistered, data, `organisation/${data.organisationId}`, version);
}

export function changed(facts: Partial<OrganisationFacts>, version: number): OutgoingEvent {
  const data = { ...cornerCafe, ...facts };
  return event(OrganisationChanged, data, `organisation/${data.organisationId}`, version);
}

export const linkIssued = (facts: Partial<typeof paymentLinkData> = {}) =>
  event(PaymentLinkIssued, { ...paymentLinkData, ...facts });
export const paymentApplied = (facts: Partial<typeof paymentData> = {}) =>
  event(OfferPaymentApplied, { ...paymentData, ...facts });
export const credited = (facts: Partial<typeof creditData> = {}) =>
  event(BalanceCredited, { ...creditData, ...facts });
export const toppedUp = (facts: Partial<typeof topUpData> = {}) =>
  event(BalanceToppedUp, { ...topUpData, ...facts });
export const low = (facts: Partial<typeof lowData> = {}) => event(BalanceLow, { ...lowData, ...facts });
export const ended = (facts: Partial<typeof endData> = {}) => event(OfferEnded, { ...endData, ...facts });
export const paused = (facts: Partial<EventData<typeof OfferPaused>> = {}) =>
  event(OfferPaused, { ...offer, pausedAt: '2026-06-03T09:00:00.000Z', ...facts });
export const signInRequested = (facts: Partial<typeof signInData> = {}) =>
  event(SignInRequested, { ...signInData, ...facts });
export const signUpRequested = (facts: Partial<typeof signUpData> = {}) =>
  event(SignUpRequested, { ...signUpData, ...facts });
export const personInvited = (facts: Partial<typeof invitationData> = {}) =>
  event(PersonInvited, { ...invitationData, ...facts });

function event<D extends EventDeclaration>(
  declaration: D,
  data: EventData<D>,
  subject = 'offer/17',
  subjectVersion = 1,
): OutgoingEvent {
  return newEvent(declaration, { subject, subjectVersion, at, data });
}
