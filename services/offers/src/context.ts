/** The dependencies of every operation of offers, built once by service.ts. */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { KeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { ImageAddresses } from './images/addresses.ts';
import type { ImageStore } from './images/images.ts';
import type { Meters } from './meters.ts';
import type { OtherServices } from './other-services.ts';
import type { PlacementTokens } from './traffic/tokens.ts';

export type OffersContext = {
  readonly postgres: Postgres;
  /** Signs the callers of requests. */
  readonly contextSecret: string;
  readonly otherServices: OtherServices;
  /** Running creations per organisation and mode. */
  readonly creations: KeyedSemaphore;
  /** Reservations per organisation and mode, which wait for the lock of the quota. */
  readonly reservations: KeyedSemaphore;
  /** LIVE offers that cost 0.00, per organisation and day. */
  readonly freeLiveOffersPerDay: number;
  readonly images: ImageStore;
  readonly addresses: ImageAddresses;
  readonly tokens: PlacementTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly meters: Meters;
};
