/** One-time links: their purposes, lifetimes, and how many an address may request. */

const minuteMs = 60_000;

/** People read an invitation some days later, but they wait for a sign-in mail. */
const linkLifeMs = { 'sign-in': 15 * minuteMs, invitation: 72 * 60 * minuteMs } as const;
export type LinkPurpose = keyof typeof linkLifeMs;

/** Enough if mails are slow, too few to fill another person's mailbox. */
export const linksPerAddress = { most: 5, windowMs: 15 * minuteMs } as const;
/** For requests that could not be answered at once: after this time, people have given up or asked again. */
export const requestsWaitMs = 15 * minuteMs;

export function linkExpiry(purpose: LinkPurpose, issuedAt: Date): Date {
  return new Date(issuedAt.getTime() + linkLifeMs[purpose]);
}

/**
 * The token is in the fragment, which browsers do not send: it reaches no server log, and mail scanners that fetch the link do not use it
 * up.
 */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/sign-in#${token}`;
}

/** The single form of an address for counting and look-ups. */
export function addressOf(email: string): string {
  return email.toLowerCase();
}

/** A person who may sign in with an address. */
export type Membership = {
  readonly personId: number;
  readonly organisationId: number;
  readonly email: string;
  readonly lastSignedInAt: Date | null;
};

/** For an address with several organisations: the one where it was used last, otherwise the one that invited it first. */
export function membershipToSignIn(memberships: readonly Membership[]): Membership | undefined {
  return memberships.toSorted(
    (a, b) =>
      (b.lastSignedInAt?.getTime() ?? 0) - (a.lastSignedInAt?.getTime() ?? 0) || a.personId - b.personId,
  )[0];
}
