/** Opens the image store of the settings. */
import { join } from 'node:path';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { BucketSettings } from './bucket.ts';
import { openImageFolder } from './folder.ts';
import { guardImageStore } from './guard.ts';
import type { ImageStore } from './images.ts';

export type ImageStoreSettings =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 'bucket' } & BucketSettings);

/**
 * A folder must exist or be creatable at the start; a bucket may become available later.
 * @param databaseId pictures lie under it, so installations that were given the same folder or bucket never meet
 */
export async function openImageStore(
  settings: ImageStoreSettings,
  databaseId: string,
  o: { logger: Logger; metrics: Metrics },
): Promise<ImageStore> {
  return guardImageStore(await openUnguarded(settings, databaseId), o);
}

async function openUnguarded(settings: ImageStoreSettings, databaseId: string): Promise<ImageStore> {
  switch (settings.kind) {
    case 'folder':
      return openImageFolder(join(settings.folder, databaseId));
    case 'bucket':
      return (await import('./bucket.ts')).openImageBucket({
        ...settings,
        prefix: `${settings.prefix}${databaseId}/`,
      });
  }
}
