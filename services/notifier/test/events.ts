/** Events as the other services write them; name only what matters to the test. */
import { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
  OrganisationChanged,
  type OrganisationFacts,
  OrganisationRegistered,
  PersonInvited,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import {
  OfferDisabled,
  OfferEnabled,
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
const balance = { organisationId: 1, mode: 'LIVE' as const, currency: 'GBP' };

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

const sample = <D extends EventDeclaration>(_: D, data: EventData<D>) => data;
/** The data of each event that becomes a mail. */
export const samples = {
  PaymentLinkIssued: sample(PaymentLinkIssued, {
    ...offer,
    ...price,
    createdBy: 3,
    paymentUrl: 'https://ads.example/pay/abc',
  }),
  OfferPaymentApplied: sample(OfferPaymentApplied, {
    ...offer,
    ...price,
    createdBy: 3,
    paymentMethod: 'E',
    paidAt: '2026-06-01T12:00:00.000Z',
    outcome: 'scheduled',
    unusedMs: 0,
    scheduledMs: 604_800_000,
  }),
  OfferEnded: sample(OfferEnded, {
    ...offer,
    paid: true,
    unusedMs: 0,
    scheduledMs: 604_800_000,
    endedAt: offer.expiryAt,
  }),
  OfferDisabled: sample(OfferDisabled, {
    ...offer,
    disabledAt: '2026-06-03T09:00:00.000Z',
    reason: 'Its terms promise more than the description.',
  }),
  OfferEnabled: sample(OfferEnabled, { ...offer, enabledAt: '2026-06-04T09:00:00.000Z' }),
  BalanceCredited: sample(BalanceCredited, {
    ...balance,
    balanceMinor: '5500',
    offerId: 17,
    title: 'Two for one',
    amountMinor: '500',
  }),
  BalanceToppedUp: sample(BalanceToppedUp, {
    ...balance,
    balanceMinor: '15500',
    netMinor: '10000',
    vatMinor: '2000',
    method: 'card',
  }),
  BalanceLow: sample(BalanceLow, { ...balance, balanceMinor: '900', thresholdMinor: '1000' }),
  OrganisationApproved: sample(OrganisationApproved, { organisationId: 1 }),
  OrganisationApprovalWithdrawn: sample(OrganisationApprovalWithdrawn, {
    organisationId: 1,
    reason: 'The company is not in the register.',
  }),
  SignInRequested: sample(SignInRequested, {
    organisationId: 1,
    personId: 1,
    email: 'ann@cafe.example',
    signInUrl: 'https://ads.example/portal/sign-in/0123456789abcdef',
    expiresAt: '2026-06-01T12:15:00.000Z',
  }),
  PersonInvited: sample(PersonInvited, {
    organisationId: 1,
    organisationName: 'Corner Cafe Ltd',
    personId: 5,
    email: 'eve@cafe.example',
    role: 'marketer',
    invitedBy: 'ann@cafe.example',
    signInUrl: 'https://ads.example/portal/sign-in#fedcba9876543210',
    expiresAt: '2026-06-08T12:00:00.000Z',
  }),
  SignUpRequested: sample(SignUpRequested, {
    email: 'new@bakery.example',
    country: 'GB',
    hasPlace: false,
    url: 'https://ads.example/portal/sign-up#0123456789fedcba',
    expiresAt: '2026-06-02T12:00:00.000Z',
  }),
};

export const registered = (facts: Partial<OrganisationFacts> = {}, version = 1) =>
  ofOrganisation(OrganisationRegistered, facts, version);
export const changed = (facts: Partial<OrganisationFacts>, version: number) =>
  ofOrganisation(OrganisationChanged, facts, version);

export const linkIssued = made(PaymentLinkIssued, samples.PaymentLinkIssued);
export const paymentApplied = made(OfferPaymentApplied, samples.OfferPaymentApplied);
export const credited = made(BalanceCredited, samples.BalanceCredited);
export const toppedUp = made(BalanceToppedUp, samples.BalanceToppedUp);
export const low = made(BalanceLow, samples.BalanceLow);
export const ended = made(OfferEnded, samples.OfferEnded);
export const paused = made(OfferPaused, { ...offer, pausedAt: '2026-06-03T09:00:00.000Z' });
export const signInRequested = made(SignInRequested, samples.SignInRequested);
export const signUpRequested = made(SignUpRequested, samples.SignUpRequested);
export const personInvited = made(PersonInvited, samples.PersonInvited);

function made<D extends EventDeclaration>(declaration: D, sample: EventData<D>) {
  return (facts: Partial<EventData<D>> = {}): OutgoingEvent =>
    newEvent(declaration, {
      subject: 'offer/17',
      subjectVersion: 1,
      at,
      data: { ...(sample as object), ...facts } as EventData<D>,
    });
}

function ofOrganisation(
  declaration: typeof OrganisationRegistered | typeof OrganisationChanged,
  facts: Partial<OrganisationFacts>,
  subjectVersion: number,
): OutgoingEvent {
  const data = { ...cornerCafe, ...facts };
  return newEvent(declaration, {
    subject: `organisation/${data.organisationId}`,
    subjectVersion,
    at,
    data,
  });
}
