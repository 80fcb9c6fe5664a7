/** The same command for many offers, each in its own transaction: one that is refused or fails keeps no other from being done. */
import type { BulkReply } from '@offer-ads/contracts/portal/offers-api';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';

/** Few, because other requests need connections to the database too. */
const AT_ONCE = 4;

export async function changeMany(
  offerIds: readonly number[],
  logger: Logger,
  change: (offerId: number) => Promise<Omit<BulkReply['results'][number], 'offer_id'>>,
): Promise<BulkReply> {
  const results = new Map<number, BulkReply['results'][number]>();
  const waiting = [...offerIds];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const outcome = await change(id).catch((error: unknown) => {
        // Anything else is a mistake of ours, which ends the request with a 500.
        if (!isServiceUnavailable(error)) throw error;
        logger.warn({ error, offerId: id }, 'an offer of many was not changed');
        return { done: false, message: 'There was no time left for it. Please try again' };
      });
      results.set(id, { offer_id: id, ...outcome });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { results: offerIds.flatMap((id) => results.get(id) ?? []) };
}
