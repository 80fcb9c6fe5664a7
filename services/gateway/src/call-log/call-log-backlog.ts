/** Calls that are not stored in Postgres yet: on disk if there is a spool, otherwise in memory; also in memory if the disk fails. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { CallSpool } from './call-log-spool.ts';
import type { Call } from './calls-store.ts';

export type Backlog = {
  /** Appends calls; they are on disk when this resolves, unless the disk fails. Never rejects. */
  readonly keep: (calls: readonly Call[]) => Promise<void>;
  /** Appends calls in memory only. */
  readonly hold: (calls: readonly Call[]) => void;
  /** The oldest calls. The caller has stored the previous part before, or put it back. */
  readonly oldest: () => Promise<Part | null>;
  readonly inMemory: () => number;
  /** Undefined if the backlog is empty. */
  readonly oldestAtMs: () => number | undefined;
  readonly isEmpty: () => boolean;
};
export type Part = {
  readonly calls: readonly Call[];
  /**
   * The first `count` calls were stored. Called during the work, so that a store that fails repeatedly does not get the same calls for
   * ever.
   */
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
        // It is retried on every beat, but logged once.
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
    // Nothing in memory; calls on their way to the disk are returned after that.
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
