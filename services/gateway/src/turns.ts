/**
 * Work on one subject takes turns when it is long or would wait for one and the same lock in the store: here waiting
 * takes no connection, so whoever asks for more than can be done at once keeps nobody else waiting.
 */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';

/** Throws a 503 when too many wait for the subject, or the turn comes so late that nobody waits for it any more. */
export type Turns = <T>(subject: string | number, work: () => Promise<T>) => Promise<T>;

/** The next stands at the lock when it comes free; more would only stand there too. */
const mostAtOnce = 2;
/** More people than an organisation has at work in one moment. */
const mostWaiting = 100;
/** As any call to a store (decision 23). */
const longestWaitMs = 2_000;

type Line = { atWork: number; readonly waiting: (() => void)[] };

export function takeTurns(elapsedMs: () => number = () => performance.now()): Turns {
  const lines = new Map<string | number, Line>();

  return async (subject, work) => {
    const line = lines.get(subject) ?? { atWork: 0, waiting: [] };
    lines.set(subject, line);
    if (line.waiting.length >= mostWaiting) throw serviceUnavailable('too much waits for one subject');
    const cameAtMs = elapsedMs();
    if (line.atWork < mostAtOnce) line.atWork += 1;
    // Whoever leaves hands over the place.
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      if (elapsedMs() - cameAtMs > longestWaitMs) throw serviceUnavailable('the turn came too late');
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else line.atWork -= 1;
      if (line.atWork === 0) lines.delete(subject);
    }
  };
}
