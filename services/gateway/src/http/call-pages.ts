/** A page of the call log for a query, used by people of the organisation and by the platform team. */
import type { CallPage, callsQuery } from '@offer-ads/contracts/portal/organisation-api';
import { Fault } from '@offer-ads/platform/process/faults';
import type { z } from 'zod';
import type { ReadCalls } from '../call-log/call-log-reader.ts';
import type { StatusClass } from '../call-log/calls-store.ts';
import { type CallPlace, readCallCursor, writeCallCursor } from '../domain/call-cursor.ts';

export async function callPage(
  readCalls: ReadCalls,
  organisationId: number,
  query: z.infer<typeof callsQuery>,
): Promise<CallPage> {
  const { calls, next } = await readCalls({
    organisationId,
    keyId: query.key_id,
    mode: query.mode,
    route: query.route,
    status: statusOf(query.status),
    requestId: query.request_id,
    from: query.from,
    to: query.to,
    before: query.cursor === undefined ? undefined : placeIn(query.cursor),
    limit: query.limit,
  });
  return {
    calls: calls.map((call) => Object.assign(call, { at: call.at.toISOString() })),
    nextCursor: next === null ? null : writeCallCursor(next),
  };
}

/** The contract allows a status or a class of statuses. */
function statusOf(text: string | undefined): number | StatusClass | undefined {
  if (text === undefined) return undefined;
  return text.endsWith('xx') ? (text as StatusClass) : Number(text);
}

function placeIn(cursor: string): CallPlace {
  const place = readCallCursor(cursor);
  if (place !== null) return place;
  const publicMessage = 'cursor: must be the nextCursor of a page before';
  throw new Fault('unreadable cursor', { status: 400, publicMessage });
}
