/** Writes a batch of calls to Postgres. Calls that can never be written do not block others. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { isLoggable } from '../domain/call-days.ts';
import { type Call, isUnwritable } from './calls-store.ts';

/** A call without its id, which is added later to keep the request fast. */
export type AnsweredCall = Omit<Call, 'id'>;
export type WriteCalls = (calls: readonly Call[]) => Promise<void>;

/**
 * If Postgres refuses a call because of its values, the batch is halved until that call is alone, and only that call is lost. Calls from
 * times that the log does not hold, such as calls spooled for 90 days, are left out.
 */
export function writeAround(o: {
  write: WriteCalls;
  clock: Clock;
  logger: Logger;
  onLost: (count: number) => void;
}): WriteCalls {
  async function write(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    try {
      await o.write(calls);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      if (calls.length > 1) {
        const half = Math.ceil(calls.length / 2);
        await write(calls.slice(0, half));
        await write(calls.slice(half));
      } else {
        o.onLost(1);
        o.logger.error({ error }, 'a call cannot be logged');
      }
    }
  }
  return (calls) => {
    const now = o.clock.now();
    return write(calls.filter(({ at }) => isLoggable(at, now)));
  };
}

/** Integers with eight hexadecimal digits, which V8 formats fastest. */
const firstNumber = 0x1000_0000;
const lastNumber = 0x7fff_ffff;

/** Gives calls their ids: 90 random bits and a 32-bit counter, so that calls of about the same time are near each other in the index. */
export function numberCalls(): (calls: readonly AnsweredCall[]) => Call[] {
  let prefix = '';
  let count = lastNumber;
  const nextId = () => {
    if (count === lastNumber) {
      prefix = randomUUID().slice(0, -8);
      count = firstNumber;
    } else count += 1;
    return prefix + count.toString(16);
  };
  return (calls) =>
    calls.map(({ keySha256, route, status, returnCode, durationMs, at, requestId }) => ({
      id: nextId(),
      keySha256,
      route,
      status,
      returnCode,
      durationMs,
      at,
      requestId,
    }));
}
