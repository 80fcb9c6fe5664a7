/** Organisations and their people, which the gateway owns. */
import type { OrganisationFacts, Role } from '@offer-ads/contracts/events/gateway';
import type { SpendingLimits } from '@offer-ads/contracts/portal/organisation-api';
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Approval, Withdrawal } from './approval.ts';

export type Quota = { readonly perPerson: number; readonly perOrganisation: number };

/** Decision 17, quota of offers. */
export const defaultQuota: Quota = { perPerson: 100, perOrganisation: 500 };

export type Person = {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly enabled: boolean;
  /** Invited by a colleague and never signed in, so the address may belong to a stranger. */
  readonly awaited?: boolean;
};

export type Organisation = {
  readonly id: number;
  readonly name: string;
  readonly tradingName: string;
  readonly country: string;
  readonly currency: string;
  readonly registeredAt: Date;
  readonly enabled: boolean;
  /** Null: the organisation waits for the platform team's approval and works with generated members only. */
  readonly approval: Approval | null;
  /** Of the latest approval; null once it is approved again. */
  readonly withdrawal: Withdrawal | null;
  /** Orders the events about the organisation. */
  readonly version: number;
  readonly people: readonly Person[];
  readonly quotas: Readonly<Record<Mode, Quota>>;
  readonly spendingLimits: SpendingLimits;
  /** Whether the terms that hold, or later ones, were accepted; false if none were published. */
  readonly termsAccepted: boolean;
  /** When later terms begin to hold, which were not accepted; null: there are none. */
  readonly termsDueAt: Date | null;
  readonly billingDetails: BillingDetails;
  /** Whose days the portal shows; null: none was chosen, and UTC is used. */
  readonly timeZone: string | null;
};

/** The admin who was named at the registration. */
export function firstAdminOf(organisation: Organisation): Person | undefined {
  return organisation.people.find((person) => person.role === 'admin');
}

/** The facts for other services, as events contain them. */
export function factsOf(organisation: Organisation): OrganisationFacts {
  return {
    organisationId: organisation.id,
    name: organisation.name,
    tradingName: organisation.tradingName,
    country: organisation.country,
    currency: organisation.currency,
    enabled: organisation.enabled,
    billingDetails: organisation.billingDetails,
    people: organisation.people.map(({ id, email, role, enabled, awaited }) => ({
      personId: id,
      email,
      role,
      enabled,
      ...(awaited === true && { awaited }),
    })),
  };
}
