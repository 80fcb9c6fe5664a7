/** What becomes of a batch on its way to the store: calls that can never be written hold up no others. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@offer-ads/platform/clock';
import type { Logger } from '@offer-ads/platform/logging';
import { type Call, isUnwritable } from './calls-store.ts';
import { isLoggable } from './domain/call-days.ts';

/** A call as the request path tells it; its id is given later, off that path. */
export type AnsweredCall = Omit<Call, 'id'> & { /** Not used. */ readonly id?: string };
export type WriteCalls = (calls: readonly Call[]) => Promise<void>;

/**
 * A batch with a call that the store refuses for what it is gets halved until that call stands alone, and is lost alone.
 * Calls from times that the log does not hold, such as those that were spooled for 90 days, are left out.
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

/** Gives calls their ids: 64 random bits of this process, 64 that count. Neighbours in time stay so in the index. */
export function numberCalls(): (calls: readonly AnsweredCall[]) => Call[] {
  const process = randomBytes(8).toString('hex');
  const prefix = `${process.slice(0, 8)}-${process.slice(8, 12)}-${process.slice(12)}-`;
  let count = 0;
  const nextId = () => {
    count += 1;
    const number = count.toString(16).padStart(16, '0');
    return `${prefix}${number.slice(0, 4)}-${number.slice(4)}`;
  };
  return (calls) =>
    calls.map(({ keySha256, route, status, returnCode, durationMs, at }) => ({
      id: nextId(),
      keySha256,
      route,
      status,
      returnCode,
      durationMs,
      at,
    }));
}
