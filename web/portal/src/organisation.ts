/** Facts of the organisation: those that all its people may read, and billing details for admins. */
import type { BillingDetailsReply, OrganisationReply } from '@offer-ads/contracts/portal/organisation-api';
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { usePortal, useRead } from './session.ts';

export function organisationKey({ organisation }: SessionReply) {
  return [organisation.id, 'organisation'] as const;
}

export function useOrganisation() {
  return useRead<OrganisationReply>(organisationKey(usePortal().session), '/organisation');
}

/** Whose days charts show. Undefined until it is known. */
export function useTimeZone(): string | undefined {
  const { data } = useOrganisation();
  return data === undefined ? undefined : (data.timeZone ?? 'UTC');
}

export function billingDetailsKey({ organisation }: SessionReply) {
  return [organisation.id, 'billing-details'] as const;
}

/** Only for people who may see the billing. */
export function useBillingDetails(o: { readonly enabled?: boolean } = {}) {
  return useRead<BillingDetailsReply>(
    billingDetailsKey(usePortal().session),
    '/organisation/billing-details',
    o,
  );
}
