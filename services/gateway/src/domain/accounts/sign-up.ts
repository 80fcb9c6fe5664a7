/** Self-registration of organisations: the lifetime of a link, the limits, and the effect of using one. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** People may have to ask a colleague first. */
const linkLifeMs = 24 * hourMs;
/** A mailbox gets at most this many unwanted mails in a day. */
export const signUpMailsPerAddress = { most: 5, windowMs: 24 * hourMs } as const;
/** Far more than ever register in an hour. This many are answered at once, oldest first. */
const signUpsAtOnce = { most: 1_000, windowMs: hourMs } as const;
/** Above that, queued requests are answered at this rate, which limits the mails that strangers can make us send. */
const signUpsFromQueue = { most: 10, windowMs: minuteMs } as const;
/** A few megabytes; reached only by an attack from thousands of networks. */
export const maxSignUpsWaiting = 20_000;
/** For requests that could not be answered at once: after this time, people have given up or asked again. */
const waitMs = 15 * minuteMs;
/** For a second click or a lost reply: the person who has just registered can get the same answer again. */
const againMs = minuteMs;

export function signUpLinkExpiry(answeredAt: Date): Date {
  return new Date(answeredAt.getTime() + linkLifeMs);
}

/** The start of the periods in which answers are counted. */
export function signUpsPacedSince(now: Date): { readonly hour: Date; readonly minute: Date } {
  return {
    hour: new Date(now.getTime() - signUpsAtOnce.windowMs),
    minute: new Date(now.getTime() - signUpsFromQueue.windowMs),
  };
}

/** Requests from before this time are given up. */
export function signUpsWaitSince(now: Date): Date {
  return new Date(now.getTime() - waitMs);
}

/**
 * `fairly`: first from the network prefixes with the fewest answers within the hour, then with the fewest requests, so that no network
 * blocks the others.
 */
export type SignUpOrder = 'oldest-first' | 'fairly' | 'later';

/** Which waiting request is answered next, or whether all of them wait. */
export function nextSignUp(answered: { readonly inHour: number; readonly inMinute: number }): SignUpOrder {
  if (answered.inHour < signUpsAtOnce.most) return 'oldest-first';
  return answered.inMinute < signUpsFromQueue.most ? 'fairly' : 'later';
}

/** The token is in the fragment, as in links to sign in (domain/sign-in-link.ts). */
export function signUpUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/sign-up#${token}`;
}

/** Rows from before this time can be deleted: their links have expired, and no limit counts them. */
export function signUpsKeptSince(now: Date): Date {
  return new Date(now.getTime() - linkLifeMs - waitMs);
}

/** `disabled`: people have the address, but all of them were disabled. */
export type AddressState = 'new' | 'has-place' | 'disabled';
export type SignUpAnswer = 'send-link' | 'send-sign-in' | 'disabled-address' | 'too-many-mails' | 'too-old';

/** The answer to a request; the person learns it only by mail. `mails`: sent to the address within the window. */
export function answerSignUp(o: {
  readonly requestedAt: Date;
  readonly now: Date;
  readonly addressState: AddressState;
  readonly mails: number;
}): SignUpAnswer {
  if (o.now.getTime() - o.requestedAt.getTime() >= waitMs) return 'too-old';
  if (o.addressState === 'disabled') return 'disabled-address';
  if (o.mails >= signUpMailsPerAddress.most) return 'too-many-mails';
  return o.addressState === 'has-place' ? 'send-sign-in' : 'send-link';
}

export type SignUpLink = {
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
};

/** `again`: the organisation exists, and the person who has just registered it is signed in again. */
export function useOfSignUpLink(link: SignUpLink, now: Date): 'register' | 'again' | 'refused' {
  if (link.completedAt !== null)
    return now.getTime() - link.completedAt.getTime() <= againMs ? 'again' : 'refused';
  return now < link.expiresAt ? 'register' : 'refused';
}
