/**
 * Removes pictures that are not needed: of creations that were refused or dropped, of processes that died, of offers deleted long ago.
 * Several replicas may run it. A shown offer always has its picture, because
 * - a picture is retired only under its row's lock, and a creation uses it only under that lock and only if it is not retired;
 * - a retired picture stays retired, and the same picture stored again has a new name, so a late removal cannot delete it;
 * - nothing is searched or removed while the store's mark names another database, which knows the pictures.
 */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { renditionNames } from './images.ts';
import {
  adoptUnknown,
  beginSearch,
  checkSample,
  forgetRetired,
  giveSearchUp,
  recordSampledUpTo,
  retireUnneeded,
  sampledUpTo,
} from './images-store.ts';
import type { ImageStoreOwner } from './owner.ts';

export type ImageRemoval = AsyncDisposable & {
  /** Removes pictures that are not needed. */
  readonly remove: () => Promise<void>;
  /** Once a day: finds pictures in the store that have no row, and checks a sample of those that offers need. */
  readonly search: () => Promise<void>;
};

const REMOVE_EVERY_MS = 60_000;
const SEARCH_EVERY_MS = 3_600_000;
/** Small, so that few rows are locked for a short time. */
const BATCH = 200;
/** After very many refusals, the rest waits for the next minute. */
const BATCHES_A_RUN = 20;
const REMOVED_AT_ONCE = 8;
/** Of the pictures that are needed, a day; the next day goes on behind them. A smaller store is checked whole. */
const SAMPLE = 10_000;
const SAMPLE_BATCH = 1_000;

type RemovalContext = Pick<OffersContext, 'postgres' | 'images' | 'clock' | 'logger' | 'metrics'> & {
  readonly owner: ImageStoreOwner;
};

export function startImageRemoval(o: RemovalContext): ImageRemoval {
  const removed = o.metrics.counter({
    name: 'images_removed_total',
    help: 'Unneeded pictures that were removed.',
  });
  const failed = o.metrics.counter({
    name: 'image_removals_failed_total',
    help: 'Pictures that could not be removed and will be tried again.',
  });
  const adopted = o.metrics.counter({
    name: 'images_adopted_total',
    help: 'Pictures found in the store without a row in the database.',
  });
  const sampled = o.metrics.counter({
    name: 'images_sampled_total',
    help: 'Pictures of the daily sample, by whether an offer needs them; an unneeded one was missed when its offer was deleted.',
    labelNames: ['outcome'],
  });
  const sample = async (stopping: AbortSignal) => {
    let name = await sampledUpTo(o.postgres);
    for (let left = SAMPLE; left > 0 && !stopping.aborted; left -= SAMPLE_BATCH) {
      const part = { now: o.clock.now(), afterName: name, atMost: SAMPLE_BATCH };
      const { checked, unneeded, lastName } = await checkSample(o.postgres, part);
      sampled.inc({ outcome: 'needed' }, checked - unneeded);
      sampled.inc({ outcome: 'unneeded' }, unneeded);
      if (unneeded > 0) o.logger.warn({ unneeded }, 'pictures that no offer needs had been missed');
      name = lastName;
      await recordSampledUpTo(o.postgres, name);
      if (name === '') return;
    }
  };
  const removing = startLoop({
    ...o,
    name: 'image-removal',
    everyMs: REMOVE_EVERY_MS,
    work: async (stopping) => {
      await o.owner.assertOurs();
      for (let batch = 0; batch < BATCHES_A_RUN && !stopping.aborted; batch += 1) {
        const { looked, retired } = await retireUnneeded(o.postgres, { now: o.clock.now(), atMost: BATCH });
        const gone = await removeAll(o, retired, stopping);
        removed.inc(await forgetRetired(o.postgres, gone));
        failed.inc(retired.length - gone.length);
        // If the store is unavailable, the next run tries again.
        if (looked < BATCH || gone.length < retired.length) return;
      }
    },
  });
  const searching = startLoop({
    ...o,
    name: 'image-search',
    everyMs: SEARCH_EVERY_MS,
    work: async (stopping) => {
      await o.owner.assertOurs();
      if (!(await beginSearch(o.postgres, o.clock.now()))) return;
      try {
        for await (const names of o.images.list()) {
          if (stopping.aborted) return await giveSearchUp(o.postgres);
          adopted.inc(await adoptUnknown(o.postgres, names, o.clock.now()));
        }
        await sample(stopping);
      } catch (error) {
        await giveSearchUp(o.postgres);
        throw error;
      }
    },
  });
  const loops: readonly Loop[] = [removing, searching];
  return {
    remove: removing.runNow,
    search: searching.runNow,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
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
        // The picture first: without it no further rendition is begun. One that is being made just now is found by the daily search.
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
