/**
 * The outbox: an event is written in the same transaction as the change that it reports. A relay publishes events in the order in which
 * they were written, each at least once (architecture, rule 3; outbox-relay.ts).
 */

import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import type { PreparedStatement, Queryable, Transaction } from '../postgres/postgres.ts';
import { type NewEvent, newEvent, type OutgoingEvent } from './events.ts';

/** What `postgres.committed` emits in this process after the commit of a transaction that wrote to the outbox. */
export const outboxWritten = 'outbox-written';

/** Adds one new event to the outbox. */
export function publish<D extends EventDeclaration>(
  tx: Transaction,
  declaration: D,
  event: NewEvent<D>,
): Promise<void> {
  return addToOutbox(tx, [newEvent(declaration, event)]);
}

export async function addToOutbox(tx: Transaction, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(addStatement, [JSON.stringify(events)]);
  tellOutbox(tx);
}

/**
 * The rows for `INSERT INTO outbox (event)` in a statement that also makes the change. Events are published in the order of the list. Call
 * `tellOutbox` after it.
 * @param parameter the events as a JSON array, such as `$1`
 * @param only a query of the same statement that has one row if the change was made, and none if it was not
 */
export function eventsOf(parameter: string, only?: string): string {
  const from = only === undefined ? '' : `${only}, `;
  return `SELECT event FROM ${from}json_array_elements(${parameter}::json) WITH ORDINALITY AS listed (event, place)
          ORDER BY place`;
}

const addStatement: PreparedStatement = {
  name: 'add-to-outbox',
  sql: `INSERT INTO outbox (event) ${eventsOf('$1')}`,
};

/** Wakes the relay of this process after the commit. */
export function tellOutbox(tx: Queryable): void {
  tx.tellAfterCommit?.(outboxWritten);
}
