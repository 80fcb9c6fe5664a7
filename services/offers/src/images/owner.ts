/** Checks which database the image store belongs to, so that an installation with a wrong address does not remove another's pictures. */
import { randomUUID } from 'node:crypto';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { OffersContext } from '../context.ts';
import { isImageName, MARK } from './images.ts';
import { databaseId, isAnyUnknown } from './images-store.ts';

export type ImageStoreOwner = {
  /**
   * Reads the mark each time, because the store can be replaced while the service runs.
   * @throws if the store belongs to another database, or does not answer
   */
  readonly assertOurs: () => Promise<void>;
};

type OwnerContext = Pick<OffersContext, 'postgres' | 'images' | 'logger' | 'metrics'>;

/**
 * An unavailable store does not prevent the start, because most work needs no pictures.
 * @throws if the store belongs to another database
 */
export async function ownImageStore(o: OwnerContext): Promise<ImageStoreOwner> {
  const ours = await databaseId(o.postgres, randomUUID());
  const foreign = o.metrics.gauge({
    name: 'image_store_foreign',
    help: '1 while the store of pictures belongs to another database, so that nothing is removed from it; else 0',
  });
  foreign.set(0);
  const assertOurs = async () => {
    const isOurs = await belongsTo(ours, o);
    foreign.set(isOurs ? 0 : 1);
    if (isOurs) return;
    throw new Error(
      `IMAGE_STORE_URL: the store belongs to another database (its "${MARK}" is not ${ours}); nothing is removed from it`,
    );
  };
  try {
    await assertOurs();
  } catch (error) {
    if (!isServiceUnavailable(error)) throw error;
    o.logger.warn(
      { error },
      'whose image store it is will be asked again before anything is removed from it',
    );
  }
  return { assertOurs };
}

/** A store without a mark gets ours, unless it holds pictures that our database does not know. */
async function belongsTo(ours: string, { postgres, images }: OwnerContext): Promise<boolean> {
  const marked = await images.readMark();
  if (marked !== null) return marked.trim() === ours;
  for await (const names of images.list()) {
    if (await isAnyUnknown(postgres, names.filter(isImageName))) return false;
    // One page is enough, because another installation's pictures would be mixed among ours.
    break;
  }
  await images.writeMark(ours);
  // Read again, because another installation may have written its mark at the same time.
  return (await images.readMark())?.trim() === ours;
}
