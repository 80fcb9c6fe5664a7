/**
 * A semaphore for each key, with a bounded queue: work that contends for one row or lock of a store waits here, in memory, instead of each
 * holding a connection that others need. What finds the queue full is refused at once.
 */
import type { Deadline } from '../calls/deadline.ts';
import { type Fault, overloaded } from './faults.ts';

export type KeyedSemaphore = {
  /** @throws {Fault} when as many wait for the key as may, or the deadline comes before the turn */
  readonly run: <T>(key: string, work: () => Promise<T>, deadline?: Deadline) => Promise<T>;
};

type Queue = { running: number; readonly waiting: Set<() => void> };

export function createKeyedSemaphore(o: {
  /** What is waited for, in logs. Keys are not logged: they may be personal data. */
  readonly of: string;
  /** Of one key. */
  readonly atOnce: number;
  readonly waiting: number;
  /** What refuses; the 503 of `overloaded` unless given. */
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
      throw refusal(`${o.of}: ${queue.running} are under way and ${queue.waiting.size} wait already`);
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
      // The place is handed on, so that nobody who comes now gets in between.
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
