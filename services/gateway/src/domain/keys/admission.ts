/** Whether a request with this key is admitted, and as which caller (specification, Authentication items 4, 7, 8 and 9). */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { KeyRights } from '@offer-ads/contracts/values/key-rights';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { type ApprovalRefusal, refuseCall } from '../accounts/approval.ts';
import { keyState } from './key-state.ts';

/** The caller context without the parts that the token adds: audience, validity, network and a hash of the mail address. */
export type Caller = Omit<CallerContext, 'audience' | 'validUntil' | 'network' | 'mailbox'> & {
  readonly email: string;
};

/** What the store knows about the key of a request. The person is the key's owner. */
export type KeyFacts = Omit<Caller, 'keyId' | 'mode' | 'quota' | 'spending'> & {
  readonly keyId: number;
  readonly mode: Mode | null;
  readonly disabledAt: Date | null;
  readonly expiresAt: Date | null;
  readonly ownerEnabled: boolean;
  readonly organisationEnabled: boolean;
  /** For the key's mode; null for a key without a mode. */
  readonly quota: CallerContext['quota'] | null;
  readonly approvalWithdrawn: boolean;
  /** The key's own limit; null if it has none. */
  readonly requestsPerMinute: number | null;
  readonly rights: KeyRights;
  /** The first of the keys that were rolled one into the next. */
  readonly spendsAs: number;
};

/** What is asked of a key. */
export type Asked = {
  /** Whether the client's IP address is among these addresses and ranges. */
  readonly isFrom: (addresses: readonly string[]) => boolean;
  /** Whether the call creates or changes something. */
  readonly changes: boolean;
  /** Whether the call is open after an approval was withdrawn. */
  readonly staysOpen: boolean;
};

export type AdmissionRefusal =
  | 'unauthorised'
  | 'address-not-allowed'
  | 'key-without-mode'
  | 'key-only-reads'
  | ApprovalRefusal;
export type Admission =
  | { readonly ok: true; readonly key: KeyFacts; readonly caller: Caller }
  | { readonly ok: false; readonly reason: AdmissionRefusal };

/** @param key null if the request has no key or an unknown one */
export function admit(key: KeyFacts | null, now: Date, { isFrom, changes, staysOpen }: Asked): Admission {
  if (key === null || !key.organisationEnabled || keyState(key, now) !== 'works')
    return { ok: false, reason: 'unauthorised' };
  const { access, addresses, spendingPerDayMinor, spendingPerMonthMinor } = key.rights;
  if (addresses.length > 0 && !isFrom(addresses)) return { ok: false, reason: 'address-not-allowed' };
  if (key.mode === null || key.quota === null) return { ok: false, reason: 'key-without-mode' };
  const refusal = refuseCall(key.mode, key, staysOpen);
  if (refusal !== null) return { ok: false, reason: refusal };
  if (changes && access === 'read-only') return { ok: false, reason: 'key-only-reads' };
  return {
    ok: true,
    key,
    caller: {
      organisationId: key.organisationId,
      mode: key.mode,
      personId: key.personId,
      keyId: key.keyId,
      email: key.email,
      currency: key.currency,
      country: key.country,
      tradingName: key.tradingName,
      quota: key.quota,
      termsAccepted: key.termsAccepted,
      spending: {
        spender: `key/${key.spendsAs}`,
        access,
        perDayMinor: spendingPerDayMinor,
        perMonthMinor: spendingPerMonthMinor,
      },
      organisationApproved: key.organisationApproved,
    },
  };
}
