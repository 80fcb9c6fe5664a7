/** Keeping a picture: the row first, so that there is nothing in the store that nobody knows of. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { STORE_MS } from './guard.ts';
import { contentOf, newImageName } from './images.ts';
import { nameToKeep } from './images-store.ts';
import type { PictureType } from './picture-types.ts';

/**
 * The same picture is kept once, whoever brings it. From here on nobody removes it for an hour; for as long as it is
 * needed, once `markChecked` has taken note of it.
 * @returns its name in the store
 * @throws the 503 fault while the store is away or full
 */
export async function keepImage(
  o: Pick<OffersContext, 'postgres' | 'images' | 'clock'>,
  picture: Uint8Array,
  type: PictureType,
  deadline: Deadline,
): Promise<string> {
  const content = contentOf(picture, type);
  const name = await nameToKeep(o.postgres, { content, proposed: newImageName(content), now: o.clock.now() });
  // Also when it should be there already: what went missing is back, and whoever noted it may have died before this.
  await o.images.keep(name, picture, deadline.signal(STORE_MS));
  return name;
}
