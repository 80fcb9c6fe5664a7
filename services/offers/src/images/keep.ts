/** Stores a picture. The row is written first, so that the store has no picture without a row. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { STORE_MS } from './guard.ts';
import { contentOf, newImageName } from './images.ts';
import { nameToKeep } from './images-store.ts';
import type { PictureType } from './picture-types.ts';

/**
 * The same picture is stored once, whoever uploads it. It is not removed for an hour from now; once its offer is reserved
 * (`markCharging`), it is not removed while it is needed.
 * @returns its name in the store
 * @throws the 503 fault while the store is unavailable or full
 */
export async function keepImage(
  o: Pick<OffersContext, 'postgres' | 'images' | 'clock'>,
  picture: Uint8Array,
  type: PictureType,
  deadline: Deadline,
): Promise<string> {
  const content = contentOf(picture, type);
  const name = await nameToKeep(o.postgres, { content, proposed: newImageName(content), now: o.clock.now() });
  // Written even if a row exists: the file may be missing, because the process that wrote the row died before this step.
  await o.images.keep(name, picture, deadline.signal(STORE_MS));
  return name;
}
