/** Whether a notification can be sent again because a person says so. */

export type ResendRefusal = 'nobody-known' | 'under-way' | 'link-gone';

export function resendRefusal(
  { state, hasMessage, expiresAt }: { state: string; hasMessage: boolean; expiresAt: Date | undefined },
  now: Date,
): ResendRefusal | undefined {
  if (state === 'waiting') return 'nobody-known';
  if (state === 'sending') return 'under-way';
  // Links are not kept once they were sent, and of no use once they have expired.
  if (!hasMessage || (expiresAt !== undefined && expiresAt <= now)) return 'link-gone';
  return undefined;
}
