/** A billing that a test reads from inside: its log, its metrics, its statements. */
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Billing } from '../src/billing.ts';
import { billingMeters } from '../src/meters.ts';

/** Billing whose log and metrics the test reads. */
export function watched(billing: Billing) {
  const log: Record<string, unknown>[] = [];
  const write = (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ service: 'billing', level: 'info', destination: { write } });
  const metrics = createMetrics('billing');
  return { billing: { ...billing, logger, meters: billingMeters(metrics) }, log, metrics };
}

/** Billing whose statements go through `query`, in and outside of transactions. */
export function withQuery(
  billing: Billing,
  query: (on: Queryable, ...statement: Parameters<Transaction['query']>) => Promise<unknown[]>,
): Billing {
  const { postgres } = billing;
  const through = (on: Queryable) => ({ query: (...statement) => query(on, ...statement) }) as Queryable;
  const transaction: Postgres['transaction'] = (work, deadline) =>
    postgres.transaction((tx) => work({ ...tx, ...through(tx) }), deadline);
  return { ...billing, postgres: { ...postgres, ...through(postgres), transaction } };
}
