import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';

/**
 * Why an event waits for a person, in words. An event that cannot be read is parked before anybody tries to handle it, because another
 * try would read the same: its count of attempts is 0. The broker parks an event when the service ended while it handled it, again and
 * again; then nobody has counted.
 */
export function parkedBecause({ attempts, parkedAt }: Pick<ParkedMessage, 'attempts' | 'parkedAt'>): string {
  if (parkedAt === null)
    return 'by the broker, because the service ended while it handled it, again and again';
  if (attempts === 0) return 'at once, because it cannot be read: another try would not help';
  return `after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`} that failed`;
}
