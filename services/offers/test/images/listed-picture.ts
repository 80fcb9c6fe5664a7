import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseId } from '../../src/images/images-store.ts';
import type { OffersUnderTest } from '../offers-under-test.ts';

/** The address of the newest offer's picture in the listing, at the service itself. */
export async function listedAddress(under: OffersUnderTest): Promise<URL> {
  const { body } = await under.call('GET', '/offers?environment=test');
  const [offer] = (body as { data: { image: string }[] }).data;
  return atTheService(under, offer!.image);
}

export function atTheService({ offers }: OffersUnderTest, address: string): URL {
  const { pathname, search } = new URL(address);
  return new URL(pathname + search, offers.url);
}

/** Where the pictures of the service under test lie. */
export async function folderOf({ config, postgres }: OffersUnderTest): Promise<string> {
  return join(fileURLToPath(config.IMAGE_STORE_URL), await databaseId(postgres));
}
