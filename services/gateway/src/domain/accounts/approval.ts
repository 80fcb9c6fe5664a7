/** Which organisations may work with real members: those that the platform team has registered or approved. */
import type { Mode } from '@offer-ads/contracts/values/primitives';

/** When and by whom an organisation was approved. */
export type Approval = { readonly at: Date; readonly by: string };

/** SIGN_UP: who may register an organisation, and whether the platform team must approve it afterwards. */
export const signUpPolicies = ['closed', 'approval', 'open'] as const;
export type SignUpPolicy = (typeof signUpPolicies)[number];

/** The approval of an organisation that registered itself; null if it must wait for one. */
export function approvalAtSignUp(policy: SignUpPolicy, at: Date): Approval | null {
  return policy === 'open' ? { at, by: 'open sign-up' } : null;
}

/** When and why the platform team has withdrawn an approval. */
export type Withdrawal = { readonly at: Date; readonly reason: string };

/** LIVE mode needs an approved organisation. TEST mode is open to all; before approval it uses generated members. */
export function mayWorkIn(mode: Mode, approved: boolean): boolean {
  return mode === 'TEST' || approved;
}

export type ApprovalRefusal = 'not-approved' | 'approval-withdrawn';

/**
 * Null if the organisation may make the call. After a withdrawal it keeps what it needs for the offers that it has paid for.
 * @param staysOpen whether the call belongs to that
 */
export function refuseCall(
  mode: Mode,
  organisation: { readonly organisationApproved: boolean; readonly approvalWithdrawn: boolean },
  staysOpen: boolean,
): ApprovalRefusal | null {
  if (mayWorkIn(mode, organisation.organisationApproved)) return null;
  if (!organisation.approvalWithdrawn) return 'not-approved';
  return staysOpen ? null : 'approval-withdrawn';
}
