/** The call log as people read it: never a record that is older than what is kept. */

import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { keptSince } from '../domain/call-days.ts';
import { takeTurns } from '../turns.ts';
import { type CallPage, type CallQuery, listCalls } from './calls-store.ts';

export type ReadCalls = (query: CallQuery) => Promise<CallPage>;

/** A page may look through many calls, so each organisation's take turns. */
export function callLogReader({ postgres, clock }: { postgres: Postgres; clock: Clock }): ReadCalls {
  const turns = takeTurns();
  return (query) =>
    turns(query.organisationId, () => listCalls(postgres, { ...query, since: keptSince(clock.now()) }));
}
