/** Organisations and their people, as the gateway owns them. */
import type { OrganisationFacts, Role } from '@offer-ads/contracts/events/gateway';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Approval } from './approval.ts';

export type Quota = { readonly perPerson: number; readonly perOrganisation: number };

/** Decision 17, quota of offers. */
export const defaultQuota: Quota = { perPerson: 100, perOrganisation: 500 };

export type Person = {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly enabled: boolean;
  /** Invited by somebody of the organisation, and has never signed in: the address may be a stranger's. */
  readonly awaited?: boolean;
};

export type Organisation = {
  readonly id: number;
  readonly name: string;
  readonly tradingName: string;
  readonly country: string;
  readonly currency: string;
  readonly enabled: boolean;
  /** Null: it waits for the platform team, and works with made-up members only. */
  readonly approval: Approval | null;
  /** Orders what others learn about the organisation. */
  readonly version: number;
  readonly people: readonly Person[];
  readonly quotas: Readonly<Record<Mode, Quota>>;
  /** Whether the latest published version was accepted; false when none was ever published. */
  readonly termsAccepted: boolean;
};

/** The first admin: the one who was named at registration. */
export function firstAdminOf(organisation: Organisation): Person | undefined {
  return organisation.people.find((person) => person.role === 'admin');
}

/** What other services may know, for an event. */
export function factsOf(organisation: Organisation): OrganisationFacts {
  return {
    organisationId: organisation.id,
    name: organisation.name,
    tradingName: organisation.tradingName,
    country: organisation.country,
    currency: organisation.currency,
    enabled: organisation.enabled,
    people: organisation.people.map(({ id, email, role, enabled, awaited }) => ({
      personId: id,
      email,
      role,
      enabled,
      ...(awaited === true && { awaited }),
    })),
  };
}
