/** Reads the call log for people. Records older than the retention are never returned. */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { keptSince } from '../domain/call-days.ts';
import { subjectSemaphore } from '../subject-semaphore.ts';
import { type CallPage, type CallQuery, listCalls } from './calls-store.ts';

export type ReadCalls = (query: CallQuery) => Promise<CallPage>;

/** A page may read many rows, so the number of concurrent reads per organisation is limited. */
export function callLogReader({ postgres, clock }: { postgres: Postgres; clock: Clock }): ReadCalls {
  const limited = subjectSemaphore('pages of the call log');
  return (query) =>
    limited(query.organisationId, () => listCalls(postgres, { ...query, since: keptSince(clock.now()) }));
}
