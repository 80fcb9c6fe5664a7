/** The dependencies that billing's functions need. */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Seller } from './domain/invoices/invoice.ts';
import type { Meters } from './meters.ts';
import type { StripeAccounts } from './stripe/client.ts';

export type Billing = {
  readonly postgres: Postgres;
  readonly stripe: StripeAccounts;
  readonly clock: Clock;
  /** Base of the payment links. */
  readonly publicUrl: string;
  /** Base of the links on the pages after a payment. */
  readonly portalUrl: string;
  /** The seller, who issues the invoices. */
  readonly seller: Seller;
  readonly logger: Logger;
  readonly meters: Meters;
};
