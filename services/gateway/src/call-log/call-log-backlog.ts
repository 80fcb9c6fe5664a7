/** Calls that the store has not taken: on disk where there is a spool, else and for want of a disk in memory. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { CallSpool } from './call-log-spool.ts';
import type { Call } from './calls-store.ts';

export type Backlog = {
  /** Puts calls at the end; they are on disk when this is done, if the disk takes them. Never fails. */
  readonly keep: (calls: readonly Call[]) => Promise<void>;
  /** Puts calls at the end, in memory for now. */
  readonly hold: (calls: readonly Call[]) => void;
  /** The oldest calls. Whoever asks has written the ones before, or put them back. */
  readonly oldest: () => Promise<Part | null>;
  readonly inMemory: () => number;
  /** Undefined when there is none. */
  readonly oldestAtMs: () => number | undefined;
  readonly isEmpty: () => boolean;
};
export type Part = {
  readonly calls: readonly Call[];
  /** That many, from the first on, have been written: a store that fails now and then sees no call for ever. */
  readonly progress: (count: number) => void;
  readonly written: () => Promise<void>;
  readonly putBack: () => void;
};

const batchSize = 1_000;

export function createBacklog(o: {
  spool: CallSpool | undefined;
  logger: Logger;
  onLost: (count: number) => void;
}): Backlog {
  const { spool } = o;
  const waiting: Call[] = [];
  let spilling: Promise<void> | undefined;
  let diskWorks = true;

  async function keep(calls: readonly Call[]): Promise<void> {
    hold(calls);
    if (spool === undefined) return;
    spilling ??= spill(spool).finally(() => {
      spilling = undefined;
    });
    await spilling;
  }

  function hold(calls: readonly Call[]): void {
    for (const call of calls) waiting.push(call);
  }

  async function spill(to: CallSpool): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize);
      try {
        o.onLost(batch.length - (await to.add(batch)));
        diskWorks = true;
      } catch (error) {
        waiting.unshift(...batch);
        // It is tried again with every beat, and once is enough to be told.
        if (diskWorks) o.logger.error({ error }, 'call log spool cannot be written, calls wait in memory');
        diskWorks = false;
        return;
      }
    }
  }

  async function oldest(): Promise<Part | null> {
    const segment = await spool?.oldest();
    if (segment !== null && segment !== undefined)
      return { calls: segment.calls, progress: segment.skip, written: segment.remove, putBack: () => {} };
    // What is on its way to the disk is met there.
    if (waiting.length === 0 || spilling !== undefined) return null;
    const calls = waiting.splice(0, batchSize);
    return {
      calls,
      progress: (count) => void calls.splice(0, count),
      written: async () => {},
      putBack: () => void waiting.unshift(...calls),
    };
  }

  return {
    keep,
    hold,
    oldest,
    inMemory: () => waiting.length,
    oldestAtMs: () => spool?.oldestAtMs() ?? waiting[0]?.at.getTime(),
    isEmpty: () => waiting.length === 0 && (spool?.bytes() ?? 0) === 0,
  };
}
