/** Opens the image store of the settings. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { BucketSettings } from './bucket.ts';
import { openImageFolder } from './folder.ts';
import { guardImageStore } from './guard.ts';
import type { ImageStore } from './images.ts';

export type ImageStoreSettings =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 'bucket' } & BucketSettings);

/** A folder must exist or be creatable at the start; a bucket may become available later. */
export async function openImageStore(
  settings: ImageStoreSettings,
  o: { logger: Logger; metrics: Metrics },
): Promise<ImageStore> {
  return guardImageStore(await openUnguarded(settings), o);
}

async function openUnguarded(settings: ImageStoreSettings): Promise<ImageStore> {
  switch (settings.kind) {
    case 'folder':
      return openImageFolder(settings.folder);
    case 'bucket':
      return (await import('./bucket.ts')).openImageBucket(settings);
  }
}
