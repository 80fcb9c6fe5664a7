/**
 * Requests of people whom nobody knows yet, answered by mail: they are stored at once and answered by a loop. So how long an
 * answer takes tells whoever asks nothing about the address.
 */

import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { Fault } from '@offer-ads/platform/process/faults';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';

/** Whoever asks wakes the loop; the beat only finds what a replica left behind when it died. */
const answerEveryMs = 5_000;

export type AnsweringOptions = {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

export type Answers<Asked extends object, Outcome extends string> = {
  /** The loop's name, and what log lines call it. */
  readonly name: string;
  /** The oldest that no other replica is answering; taken once the transaction commits. */
  readonly take: (tx: Transaction, at: Date) => Promise<Asked | null>;
  /** Decides, and writes the mail's event, in the transaction that took the request. */
  readonly answer: (tx: Transaction, asked: Asked, at: Date) => Promise<Outcome>;
  /** Puts away what cannot be answered. */
  readonly drop: (asked: Asked, at: Date) => Promise<void>;
  readonly answered: (outcome: Outcome | 'failed') => void;
};

/** Answers all that wait, one after the other, whenever it is woken. */
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
  const at = o.clock.now();
  let taken = null as Asked | null;
  try {
    return await o.postgres.transaction(async (tx) => {
      taken = await o.take(tx, at);
      return taken === null ? 'none-waits' : o.answer(tx, taken, at);
    });
  } catch (error) {
    // Without the store the request waits. What fails by itself must not keep all that come after it waiting.
    if (taken === null || error instanceof Fault) throw error;
    o.logger.error({ error, loop: o.name }, 'a request could not be answered and is dropped');
    await o.drop(taken, at);
    return 'failed';
  }
}
