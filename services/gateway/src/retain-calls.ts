/**
 * Creates and drops the call log's daily partitions once, for schedulers: `node services/gateway/src/retain-calls.ts`. A running gateway
 * does the same every hour; both may run at the same time.
 */

import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { systemClock } from '@offer-ads/platform/process/clock';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { retainCalls } from './call-log/call-retention.ts';
import { readDatabaseUrl } from './config.ts';

const logger = createLogger({ service: 'gateway', level: 'info' });
const metrics = createMetrics('gateway');
const url = readDatabaseUrl();
await using postgres = await startWhenStoresServe(() => openPostgres({ url, logger, metrics }));
await retainCalls({ postgres, clock: systemClock, logger });
