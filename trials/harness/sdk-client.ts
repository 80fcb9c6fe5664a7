/** The SDK, for the system of a trial. */
import { createClient, type OfferAds } from '@offer-ads/sdk';
import { unusedAddress } from './advertiser.ts';
import type { System } from './system.ts';

/** Each request has another client address. */
export function sdkClient(
  system: Pick<System, 'state'>,
  apiKey: string,
  options: { maxRetries?: number } = {},
): OfferAds {
  return createClient({
    apiKey,
    baseUrl: system.state().gateway,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, 'x-forwarded-for': unusedAddress() } }),
    ...options,
  });
}
