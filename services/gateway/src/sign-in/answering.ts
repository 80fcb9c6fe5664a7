/**
 * Answers requests of unknown people by mail. A request is stored at once and answered by a loop, so the duration of its reply says nothing
 * about the address.
 */

import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { Fault } from '@offer-ads/platform/process/faults';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';

/** A new request wakes the loop; the timer only finds requests of a replica that died. */
const answerEveryMs = 5_000;

export type AnsweringOptions = {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

export type Answers<Asked extends object, Outcome extends string> = {
  /** The loop's name, also in log lines. */
  readonly name: string;
  /** The oldest request that no other replica is answering; removed when the transaction commits. */
  readonly take: (tx: Transaction, at: Date) => Promise<Asked | null>;
  /** Decides, and writes the mail's event, in the transaction that took the request. */
  readonly answer: (tx: Transaction, asked: Asked, at: Date) => Promise<Outcome>;
  /** Removes a request that cannot be answered. */
  readonly drop: (asked: Asked, at: Date) => Promise<void>;
  readonly answered: (outcome: Outcome | 'failed') => void;
};

/** Each time it is woken, answers all waiting requests one after the other. */
export function startAnswering<Asked extends object, Outcome extends string>(
  o: AnsweringOptions & Answers<Asked, Outcome>,
): Loop {
  return startLoop({
    ...o,
    everyMs: answerEveryMs,
    work: async (signal) => {
      while (!signal.aborted) {
        const outcome = await answerOldest(o);
        if (outcome === 'none-waits') return;
        o.answered(outcome);
      }
    },
  });
}

async function answerOldest<Asked extends object, Outcome extends string>(
  o: AnsweringOptions & Answers<Asked, Outcome>,
): Promise<Outcome | 'failed' | 'none-waits'> {
  let taken = null as Asked | null;
  try {
    return await o.postgres.transaction(async (tx) => {
      taken = await o.take(tx, o.clock.now());
      // The time is read again, because the taken request may be younger than the first reading.
      return taken === null ? 'none-waits' : o.answer(tx, taken, o.clock.now());
    });
  } catch (error) {
    // If the store is unavailable, the request waits. A request that fails for another reason must not block the ones after it.
    if (taken === null || error instanceof Fault) throw error;
    o.logger.error({ error, loop: o.name }, 'a request could not be answered and is dropped');
    await o.drop(taken, o.clock.now());
    return 'failed';
  }
}
