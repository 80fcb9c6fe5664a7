/**
 * Makes renditions when they are asked for the first time, and stores each beside its picture (ADR 36, renditions). Moderation opens the
 * picture. One that cannot be made now is not tried again for a minute, and members see the picture itself meanwhile.
 */
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import type { OffersContext } from '../context.ts';
import { systemCallContext } from '../other-services.ts';
import { STORE_MS } from './guard.ts';
import { renditionOf } from './images.ts';
import { findNeeding } from './images-store.ts';

export type Renditions = {
  /**
   * Resolves when the rendition of this name is in the store; false: not now. Callers that ask meanwhile wait for the same work, which
   * goes on when they leave.
   */
  readonly make: (name: string, requestId: string) => Promise<boolean>;
};

/** Each holds a picture and its rendition in memory, at most 32 MiB together, usually below one. */
const AT_ONCE = 2;
/** An ordinary one takes 30 ms, so the last of them waits for a second. */
const MOST_UNDER_WAY = 64;
const TRY_AGAIN_MS = 60_000;
const MOST_FAILED = 1_000;
/** Like the other calls of a rendition, so that a body that hangs keeps no place. */
const READ_MS = 10_000;

type RenditionsContext = Pick<OffersContext, 'postgres' | 'images' | 'otherServices' | 'clock' | 'logger'>;

export function createRenditions(o: RenditionsContext): Renditions {
  const places = createKeyedSemaphore({ of: 'renditions', atOnce: AT_ONCE, waiting: MOST_UNDER_WAY });
  const underWay = new Map<string, Promise<boolean>>();
  /** When each failed, the longest ago first. */
  const failed = new Map<string, number>();

  async function attempt(name: string, requestId: string): Promise<boolean> {
    try {
      await places.run('all', () => makeAndStore(o, name, requestId));
      return true;
    } catch (error) {
      o.logger.warn({ error }, 'a rendition could not be made; the picture itself is shown');
      failed.delete(name);
      failed.set(name, o.clock.now().getTime());
      const [first] = failed.keys();
      if (failed.size > MOST_FAILED && first !== undefined) failed.delete(first);
      return false;
    } finally {
      underWay.delete(name);
    }
  }

  return {
    make: async (name, requestId) => {
      const current = underWay.get(name);
      if (current !== undefined) return current;
      const failedAt = failed.get(name) ?? Number.NEGATIVE_INFINITY;
      if (o.clock.now().getTime() < failedAt + TRY_AGAIN_MS) return false;
      if (underWay.size >= MOST_UNDER_WAY) return false;
      const work = attempt(name, requestId);
      underWay.set(name, work);
      return work;
    },
  };
}

async function makeAndStore(o: RenditionsContext, name: string, requestId: string): Promise<void> {
  const rendition = renditionOf(name);
  if (rendition === null) throw new Error('not the name of a rendition');
  // Its organisation's pictures take turns with those of others, and the processor time counts as theirs.
  const offer = await findNeeding(o.postgres, rendition.picture);
  if (offer === null) throw new Error('no offer needs the picture');
  const found = await o.images.read(rendition.picture, AbortSignal.timeout(STORE_MS));
  if (found === null) throw new Error('the picture is not in the store');
  const picture = await buffer(addAbortSignal(AbortSignal.timeout(READ_MS), found.bytes));
  const call = systemCallContext(offer, requestId);
  const { bytes } = await o.otherServices.rendition(call, picture, rendition.width);
  await o.images.put(name, bytes, AbortSignal.timeout(STORE_MS));
  // Its picture may have been removed meanwhile, with the renditions that were there then.
  if ((await findNeeding(o.postgres, rendition.picture)) === null) await o.images.remove(name);
}
