import { expect, it } from '@jest/globals';
import { readMetrics } from './service-metrics.ts';

const told = readMetrics(`# HELP queue_messages Messages
# TYPE queue_messages gauge
queue_messages{queue="main",service="offers"} 3
queue_messages{queue="parked",service="offers"} 2
outbox_events_total 9
outbox_events 0
ledger_check_timestamp_seconds{service="billing"} 1.7636e9
`);

it('numbers are found by whole name and labels', () => {
  expect(told.value('queue_messages', { queue: 'parked' })).toBe(2);
  expect(told.value('outbox_events')).toBe(0);
  expect(told.value('ledger_check_timestamp_seconds')).toBe(1_763_600_000);
});

it('a missing number is unknown, not zero', () => {
  expect(told.value('outbox')).toBeUndefined();
  expect(told.value('queue_messages', { queue: 'retry' })).toBeUndefined();
});

it('all series of a name are found, each with its number', () => {
  expect(told.values('queue_messages')).toEqual([3, 2]);
  expect(told.values('queue_messages', { queue: 'retry' })).toEqual([]);
});
