/** Registers and changes organisations; events tell the other services. */
import { isDeepStrictEqual } from 'node:util';
import type { OrganisationsQuery } from '@offer-ads/contracts/admin/gateway-api';
import {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
  OrganisationRegistered,
} from '@offer-ads/contracts/events/gateway';
import type { SpendingLimitsChange } from '@offer-ads/contracts/portal/organisation-api';
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { publish } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Approval } from '../domain/accounts/approval.ts';
import { defaultQuota, type Organisation, type Quota } from '../domain/accounts/organisation.ts';
import { done } from '../domain/outcome.ts';
import {
  type Administration,
  announceOrganisation,
  type Change,
  changeOrganisation,
  existingOrganisation,
  withOrganisation,
} from './change-organisation.ts';
import * as store from './organisations-store.ts';
import { endAccess, lockPeople } from './people-store.ts';

/** An omitted limit stays unchanged. */
type QuotaWish = { readonly [Limit in keyof Quota]?: Quota[Limit] | undefined };

export type Organisations = ReturnType<typeof manageOrganisations>;

export function manageOrganisations(o: Administration) {
  const { postgres, clock } = o;
  return {
    /** The platform team registers only organisations that it knows, so these are approved at once. `by`: the name to record. */
    register: (registration: store.Registration, by: string, deadline: Deadline): Promise<Organisation> =>
      postgres.transaction((tx) => {
        const at = clock.now();
        return registerOrganisation(tx, registration, { approval: { at, by }, at });
      }, deadline),

    find: (id: number) => store.findOrganisation(postgres, id),
    list: (query: OrganisationsQuery) => store.listOrganisations(postgres, query),

    setEnabled: (change: Change, enabled: boolean) =>
      changeOrganisation(o, change, async (tx, { id, enabled: before }) => {
        if (before === enabled) return done('unchanged');
        await store.updateOrganisation(tx, id, { enabled });
        if (!enabled) await endAccess(tx, { personIds: await lockPeople(tx, id), at: clock.now() });
        return done('changed');
      }),

    /**
     * In force on every replica when this returns. If the organisation is already approved, the record of that approval stays; the same for
     * a withdrawal.
     * @param decision an approval with the name to record, or a withdrawal with the reason that the organisation reads
     */
    setApproved: (change: Change, decision: { readonly by: string } | { readonly reason: string }) =>
      withOrganisation(o, change, async (tx, organisation) => {
        const at = clock.now();
        const approves = 'by' in decision;
        if ((organisation.approval !== null) === approves) return done(organisation);
        const now = approves
          ? { approval: { at, by: decision.by }, withdrawal: null }
          : { approval: null, withdrawal: { at, reason: decision.reason } };
        await store.setApproval(tx, organisation.id, now);
        await announceDecision(tx, organisation.id, now);
        return done({ ...organisation, ...now });
      }),

    /** The name that members see on offers without an advertised name. It is sent to services in the caller context. */
    setTradingName: (change: Change, tradingName: string) =>
      changeOrganisation(o, { ...change, permission: 'organisation' }, async (tx, organisation) => {
        if (organisation.tradingName === tradingName) return done('unchanged');
        await store.updateOrganisation(tx, organisation.id, { trading_name: tradingName });
        return done('changed');
      }),

    /** Billing puts them on the invoices that it issues once it has the event. Unchanged details publish none. */
    setBillingDetails: (change: Change, details: BillingDetails) =>
      changeOrganisation(o, { ...change, permission: 'billing' }, async (tx, organisation) => {
        if (isDeepStrictEqual(organisation.billingDetails, details)) return done('unchanged');
        await store.setBillingDetails(tx, organisation.id, details);
        return done('changed');
      }),

    /** Publishes no event: only the portal uses it. */
    setTimeZone: (change: Change, timeZone: string) =>
      withOrganisation(o, { ...change, permission: 'organisation' }, async (tx, organisation) => {
        await store.updateOrganisation(tx, organisation.id, { time_zone: timeZone });
        return done({ ...organisation, timeZone });
      }),

    /** Publishes no event: limits are sent to services in the caller context. */
    setSpendingLimits: (change: Change, { role, ...limits }: SpendingLimitsChange) =>
      withOrganisation(o, { ...change, permission: 'key-rights' }, async (tx, organisation) => {
        await store.setSpendingLimits(tx, organisation.id, { role, ...limits });
        return done({ ...organisation.spendingLimits, [role]: limits });
      }),

    /** Publishes no event: quotas are sent to services in the caller context. */
    setQuota: (change: Change, mode: Mode, wanted: QuotaWish) =>
      withOrganisation(o, change, async (tx, { id, quotas }) => {
        const quota = {
          perPerson: wanted.perPerson ?? quotas[mode].perPerson,
          perOrganisation: wanted.perOrganisation ?? quotas[mode].perOrganisation,
        };
        await store.setQuota(tx, { organisationId: id, mode, quota });
        return done(quota);
      }),
  };
}

/** Sends a mail to the admins. Other services need no event, because the caller context contains the approval. */
async function announceDecision(
  tx: Transaction,
  organisationId: number,
  { approval, withdrawal }: Pick<Organisation, 'approval' | 'withdrawal'>,
): Promise<void> {
  const of = { subject: `organisation/${organisationId}/approval`, subjectVersion: 1 };
  if (approval !== null)
    await publish(tx, OrganisationApproved, { ...of, at: approval.at, data: { organisationId } });
  if (withdrawal !== null) {
    const { at, reason } = withdrawal;
    await publish(tx, OrganisationApprovalWithdrawn, { ...of, at, data: { organisationId, reason } });
  }
}

/** Registers the organisation with its first admin and publishes it in the same transaction. */
export async function registerOrganisation(
  tx: Transaction,
  registration: store.Registration,
  { approval, at }: { approval: Approval | null; at: Date },
): Promise<Organisation> {
  const id = await store.insertOrganisation(tx, { registration, quota: defaultQuota, approval, at });
  const organisation = await existingOrganisation(tx, id);
  await announceOrganisation(tx, OrganisationRegistered, organisation, at);
  return organisation;
}
