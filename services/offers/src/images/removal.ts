/**
 * Removes pictures that are not needed: of creations that were refused or dropped, of processes that died, of offers deleted long ago.
 * Several replicas may run it. A shown offer always has its picture, because
 * - a picture is retired only under its row's lock, and a creation uses it only under that lock and only if it is not retired;
 * - a retired picture stays retired, and the same picture stored again has a new name, so a late removal cannot delete it.
 */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { renditionNames } from './images.ts';
import { forgetRetired, retireUnneeded } from './images-store.ts';

export type ImageRemoval = AsyncDisposable & {
  /** Removes pictures that are not needed. */
  readonly remove: Loop['runNow'];
};

const REMOVE_EVERY_MS = 60_000;
/** Small, so that few rows are locked for a short time. */
const BATCH = 200;
/** After very many refusals, the rest waits for the next minute. */
const BATCHES_A_RUN = 20;
const REMOVED_AT_ONCE = 8;
type RemovalContext = Pick<OffersContext, 'postgres' | 'images' | 'clock' | 'logger' | 'metrics'>;

export function startImageRemoval(o: RemovalContext): ImageRemoval {
  const removing = startLoop({
    ...o,
    name: 'image-removal',
    everyMs: REMOVE_EVERY_MS,
    work: async (stopping) => {
      for (let batch = 0; batch < BATCHES_A_RUN && !stopping.aborted; batch += 1) {
        const { looked, retired } = await retireUnneeded(o.postgres, { now: o.clock.now(), atMost: BATCH });
        const gone = await removeAll(o, retired, stopping);
        await forgetRetired(o.postgres, gone);
        // If the store is unavailable, the next run tries again.
        if (looked < BATCH || gone.length < retired.length) return;
      }
    },
  });
  return { remove: removing.runNow, [Symbol.asyncDispose]: removing[Symbol.asyncDispose] };
}

/** A few at a time. @returns the removed ones; the others are tried again later */
async function removeAll(
  o: RemovalContext,
  names: readonly string[],
  stopping: AbortSignal,
): Promise<readonly string[]> {
  const waiting = [...names];
  const gone: string[] = [];
  const removeOnes = async () => {
    for (let name = waiting.pop(); name !== undefined && !stopping.aborted; name = waiting.pop()) {
      try {
        // The picture first: without it no further rendition is begun. One that is being made just now removes itself.
        for (const file of [name, ...renditionNames(name)]) await o.images.remove(file);
        gone.push(name);
      } catch (error) {
        o.logger.warn({ error }, 'an unneeded picture could not be removed and will be tried again');
      }
    }
  };
  await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, removeOnes));
  return gone;
}
