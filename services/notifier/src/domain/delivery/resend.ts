/** Whether a person can have a notification sent again. */

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
    /** No person of the organisation has the address any longer. */
    readonly hasLeft: boolean;
  },
  now: Date,
): ResendRefusal | undefined {
  if (state === 'waiting') return 'nobody-known';
  if (state === 'sending') return 'under-way';
  // Links are deleted after sending, and are useless after they have expired.
  if (!hasMessage || (expiresAt !== undefined && expiresAt <= now)) return 'link-gone';
  // Links are sent to addresses that may not be in an organisation yet.
  if (hasLeft && expiresAt === undefined) return 'left';
  return undefined;
}
