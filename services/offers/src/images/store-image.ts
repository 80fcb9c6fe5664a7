/** Stores a picture. The row is written first, so that the store has no picture without a row. */
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { STORE_MS } from './guard.ts';
import { contentOf, newImageName, type PictureType } from './images.ts';
import { recordImage } from './images-store.ts';

/**
 * The same picture is stored once, whoever uploads it. It is not removed for an hour from now; once its offer is reserved
 * (`reserveOffer`), it is not removed while it is needed.
 * @returns its name in the store
 * @throws the 503 fault while the store is unavailable or full
 */
export async function storeImage(
  o: Pick<OffersContext, 'postgres' | 'images' | 'clock'>,
  picture: Uint8Array,
  type: PictureType,
  deadline: Deadline,
): Promise<string> {
  const content = contentOf(picture, type);
  const size = readPictureHeader(picture, 1);
  if (typeof size === 'string') throw new Error(`the cleaned picture has no size: ${size}`);
  const name = await recordImage(o.postgres, {
    content,
    proposed: newImageName(content, size),
    now: o.clock.now(),
  });
  // Written even if a row exists: the file may be missing, because the process that wrote the row died before this step.
  await o.images.put(name, picture, deadline.signal(STORE_MS));
  return name;
}
