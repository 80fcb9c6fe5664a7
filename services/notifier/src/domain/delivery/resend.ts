/** Whether a notification can be sent again because a person says so. */

export type ResendRefusal = 'nobody-known' | 'under-way' | 'link-gone' | 'left';

export function resendRefusal(
  {
    state,
    hasMessage,
    expiresAt,
    hasLeft,
  }: {
    readonly state: string;
    readonly hasMessage: boolean;
    readonly expiresAt: Date | undefined;
    /** Nobody in the organisation has the address any longer. */
    readonly hasLeft: boolean;
  },
  now: Date,
): ResendRefusal | undefined {
  if (state === 'waiting') return 'nobody-known';
  if (state === 'sending') return 'under-way';
  // Links are not kept once they were sent, and of no use once they have expired.
  if (!hasMessage || (expiresAt !== undefined && expiresAt <= now)) return 'link-gone';
  // Links go to addresses that may be in no organisation yet.
  if (hasLeft && expiresAt === undefined) return 'left';
  return undefined;
}
