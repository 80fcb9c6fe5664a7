/** One-time links: what they are for, how long they live, how many an address may ask for. */

const minuteMs = 60_000;

/** An invitation is read when its reader comes to it; who asks to sign in waits for the mail. */
const linkLifeMs = { 'sign-in': 15 * minuteMs, invitation: 72 * 60 * minuteMs } as const;
export type LinkPurpose = keyof typeof linkLifeMs;

/** Enough for somebody whose mail is slow, too few to fill somebody else's mailbox. */
export const linksPerAddress = { most: 5, windowMs: 15 * minuteMs } as const;
/** Asked for while nobody could answer: whoever waited this long has given up or asked again. */
export const requestsWaitMs = 15 * minuteMs;

export function linkExpiry(purpose: LinkPurpose, issuedAt: Date): Date {
  return new Date(issuedAt.getTime() + linkLifeMs[purpose]);
}

/**
 * The token stands in the fragment: browsers do not send it, so that it reaches no log of a server, and whatever
 * fetches links in mails before their reader does uses nothing up.
 */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/sign-in#${token}`;
}

/** One spelling of an address, so that it is counted and found as one. */
export function addressOf(email: string): string {
  return email.toLowerCase();
}

/** Someone who may sign in with an address. */
export type Membership = {
  readonly personId: number;
  readonly organisationId: number;
  readonly email: string;
  readonly lastSignedInAt: Date | null;
};

/** Where an address of several organisations signs in: where it was last, else where it was invited first. */
export function membershipToSignIn(memberships: readonly Membership[]): Membership | undefined {
  return memberships.toSorted(
    (a, b) =>
      (b.lastSignedInAt?.getTime() ?? 0) - (a.lastSignedInAt?.getTime() ?? 0) || a.personId - b.personId,
  )[0];
}
