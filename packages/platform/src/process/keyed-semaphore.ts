/**
 * A semaphore for each key, with a bounded queue. Work that needs the same row or lock of a store waits here, in memory, without a
 * database connection. When the queue is full, work is refused at once.
 */
import type { Deadline } from '../calls/deadline.ts';
import { type Fault, overloaded } from './faults.ts';

export type KeyedSemaphore = {
  /** @throws {Fault} when the key's queue is full, or the deadline passes while waiting */
  readonly run: <T>(key: string, work: () => Promise<T>, deadline?: Deadline) => Promise<T>;
};

type Queue = { running: number; readonly waiting: Set<() => void> };

export function createKeyedSemaphore(o: {
  /** Names the work in logs. Keys are not logged: they may be personal data. */
  readonly of: string;
  /** For one key. */
  readonly atOnce: number;
  readonly waiting: number;
  /** Makes the refusal; the default is the 503 of `overloaded`. */
  readonly refusal?: (internalMessage: string) => Fault;
}): KeyedSemaphore {
  const { refusal = overloaded } = o;
  const queues = new Map<string, Queue>();

  async function enter(queue: Queue, deadline: Deadline | undefined): Promise<void> {
    if (queue.running < o.atOnce) {
      queue.running += 1;
      return;
    }
    if (queue.waiting.size >= o.waiting)
      throw refusal(`${o.of}: ${queue.running} are running and ${queue.waiting.size} wait already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.waiting.add(resolve);
    const signal = deadline?.signal(Number.MAX_SAFE_INTEGER);
    const giveUp = () => {
      if (queue.waiting.delete(resolve)) reject(refusal(`no turn in time for ${o.of}`));
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  function leave(key: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next !== undefined) {
      // The place is passed on directly, so that a new caller cannot take it first.
      queue.waiting.delete(next);
      next();
      return;
    }
    queue.running -= 1;
    if (queue.running === 0) queues.delete(key);
  }

  return {
    run: async (key, work, deadline) => {
      const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
      queues.set(key, queue);
      await enter(queue, deadline);
      try {
        return await work();
      } finally {
        leave(key, queue);
      }
    },
  };
}
