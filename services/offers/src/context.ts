/** What every operation of offers works with; put together once by service.ts. */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { KeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { ImageAddresses } from './images/addresses.ts';
import type { ImageStore } from './images/images.ts';
import type { Meters } from './meters.ts';
import type { OtherServices } from './other-services.ts';

export type OffersContext = {
  readonly postgres: Postgres;
  readonly otherServices: OtherServices;
  /** Under way, of an organisation and mode. */
  readonly creations: KeyedSemaphore;
  /** Of an organisation and mode: they stand in line for its quota. */
  readonly reservations: KeyedSemaphore;
  /** Of an organisation, that cost 0.00. */
  readonly freeLiveOffersPerDay: number;
  readonly images: ImageStore;
  readonly addresses: ImageAddresses;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meters: Meters;
};
