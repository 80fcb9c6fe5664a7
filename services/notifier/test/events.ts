/** Events as the other services write them; name only what matters to the test. */
import { readFileSync } from 'node:fs';
import { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import {
  type EventData,
  type EventDeclaration,
  routingKey,
} from '@offer-ads/contracts/events/event-declaration';
import {
  OrganisationChanged,
  type OrganisationFacts,
  OrganisationRegistered,
  PersonInvited,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import {
  OfferEnded,
  OfferPaused,
  OfferPaymentApplied,
  PaymentLinkIssued,
} from '@offer-ads/contracts/events/offers';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';

const at = new Date('2026-06-01T12:00:00.000Z');

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

/** What the corner cafe's events have instead of the facts in the samples of the contracts. */
const ours: Readonly<Record<string, unknown>> = {
  organisationId: 1,
  mode: 'LIVE',
  offerId: 17,
  title: 'Two for one',
  startAt: '2026-06-02T09:00:00.000Z',
  expiryAt: '2026-06-09T09:00:00.000Z',
  createdBy: 3,
  paidAt: at.toISOString(),
  netMinor: '1000',
  vatMinor: '200',
  unusedMs: 0,
  personId: 1,
  email: 'ann@cafe.example',
  signInUrl: 'https://ads.example/portal/sign-in#0123456789abcdef',
  expiresAt: '2026-06-01T12:15:00.000Z',
};

/** The data of an event of the corner cafe. */
export function sampleOf<D extends EventDeclaration>(declaration: D, facts: object = {}): EventData<D> {
  const file = new URL(
    `../../../packages/contracts/samples/${routingKey(declaration)}.json`,
    import.meta.url,
  );
  const sample = JSON.parse(readFileSync(file, 'utf8')) as object;
  const changed = Object.keys(sample).flatMap((name) => (name in ours ? [[name, ours[name]]] : []));
  return { ...sample, ...Object.fromEntries(changed), ...facts } as EventData<D>;
}

export const registered = (facts: Partial<OrganisationFacts> = {}, version = 1) =>
  ofOrganisation(OrganisationRegistered, facts, version);
export const changed = (facts: Partial<OrganisationFacts>, version: number) =>
  ofOrganisation(OrganisationChanged, facts, version);

export const linkIssued = made(PaymentLinkIssued);
export const paymentApplied = made(OfferPaymentApplied);
export const credited = made(BalanceCredited);
export const toppedUp = made(BalanceToppedUp);
export const low = made(BalanceLow);
export const ended = made(OfferEnded);
export const paused = made(OfferPaused);
export const signInRequested = made(SignInRequested);
export const signUpRequested = made(SignUpRequested);
export const personInvited = made(PersonInvited);

function made<D extends EventDeclaration>(declaration: D) {
  return (facts: Partial<EventData<D>> = {}): OutgoingEvent =>
    newEvent(declaration, {
      subject: 'offer/17',
      subjectVersion: 1,
      at,
      data: sampleOf(declaration, facts),
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
