/** The call log as people read it: never a record that is older than what is kept. */
import type { Clock } from '@offer-ads/platform/clock';
import type { Postgres } from '@offer-ads/platform/postgres';
import { type CallPage, type CallQuery, listCalls } from './calls-store.ts';
import { keptSince } from './domain/call-days.ts';

export type ReadCalls = (query: CallQuery) => Promise<CallPage>;

export function callLogReader({ postgres, clock }: { postgres: Postgres; clock: Clock }): ReadCalls {
  return (query) => listCalls(postgres, { ...query, since: keptSince(clock.now()) });
}
