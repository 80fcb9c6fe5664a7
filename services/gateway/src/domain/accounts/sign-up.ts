/** Registering an organisation by oneself: how long a link lives, how many there may be, and what a use of one does. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Whoever asks may need a colleague's word first. */
const linkLifeMs = 24 * hourMs;
/** A mailbox whose owner asked for nothing gets no more than these in a day. */
export const signUpMailsPerAddress = { most: 5, windowMs: 24 * hourMs } as const;
/** Far more than ever register in an hour: so many are answered at once, oldest first. */
const signUpsAtOnce = { most: 1_000, windowMs: hourMs } as const;
/** Beyond them the queue is answered at this pace, which bounds what strangers can make us send to strangers. */
const signUpsFromQueue = { most: 10, windowMs: minuteMs } as const;
/** A few megabytes: an attack from thousands of networks. */
export const mostSignUpsWaiting = 20_000;
/** Asked for while nobody could answer: whoever waited this long has given up or asked again. */
const waitMs = 15 * minuteMs;
/** A second click, or a reply that was lost on its way: whoever has just registered may have the answer again. */
const againMs = minuteMs;

export function signUpLinkExpiry(answeredAt: Date): Date {
  return new Date(answeredAt.getTime() + linkLifeMs);
}

/** From when on answers count for the pace. */
export function signUpsPacedSince(now: Date): { readonly hour: Date; readonly minute: Date } {
  return {
    hour: new Date(now.getTime() - signUpsAtOnce.windowMs),
    minute: new Date(now.getTime() - signUpsFromQueue.windowMs),
  };
}

/** Requests from before it are given up; none that waits is younger. */
export function signUpsWaitSince(now: Date): Date {
  return new Date(now.getTime() - waitMs);
}

/** `fairly`: first from the network prefixes with the fewest answers within the hour, then the fewest requests, so that none keeps others out. */
export type SignUpOrder = 'oldest-first' | 'fairly' | 'later';

/** Which of the waiting requests is answered next, or whether all of them wait. */
export function nextSignUp(answered: { readonly inHour: number; readonly inMinute: number }): SignUpOrder {
  if (answered.inHour < signUpsAtOnce.most) return 'oldest-first';
  return answered.inMinute < signUpsFromQueue.most ? 'fairly' : 'later';
}

/** In the fragment, as links to sign in (domain/sign-in-link.ts). */
export function signUpUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/sign-up#${token}`;
}

/** Rows from before it are worth nothing any more: no link of theirs works, and no limit counts them. */
export function signUpsKeptSince(now: Date): Date {
  return new Date(now.getTime() - linkLifeMs - waitMs);
}

/** `disabled`: people have the address and none of them may sign in, which somebody decided. */
export type AddressStanding = 'new' | 'has-place' | 'disabled';
export type SignUpAnswer = 'send-link' | 'send-sign-in' | 'disabled-address' | 'too-many-mails' | 'too-old';

/** What becomes of a request; whoever asked learns it from the mailbox alone. `mails`: sent to the address within the window. */
export function answerSignUp(o: {
  readonly requestedAt: Date;
  readonly now: Date;
  readonly standing: AddressStanding;
  readonly mails: number;
}): SignUpAnswer {
  if (o.now.getTime() - o.requestedAt.getTime() >= waitMs) return 'too-old';
  if (o.standing === 'disabled') return 'disabled-address';
  if (o.mails >= signUpMailsPerAddress.most) return 'too-many-mails';
  return o.standing === 'has-place' ? 'send-sign-in' : 'send-link';
}

export type SignUpLink = {
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
};

/** `again`: the organisation is there, and whoever registered it just now is let in once more. */
export function useOfSignUpLink(link: SignUpLink, now: Date): 'register' | 'again' | 'refused' {
  if (link.completedAt !== null)
    return now.getTime() - link.completedAt.getTime() <= againMs ? 'again' : 'refused';
  return now < link.expiresAt ? 'register' : 'refused';
}
