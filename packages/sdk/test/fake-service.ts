/** For tests: virtual time, and a `fetch` with scripted replies and delays. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../src/clock.ts';
import type { Fetch } from '../src/options.ts';

export type FakeClock = Clock & {
  /** Runs timers in their order until the work is done. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
  /** While this work runs, no timer does: reading a Blob takes real time. */
  readonly outside: <T>(work: Promise<T>) => Promise<T>;
  /** Number of timers that were not cancelled. */
  readonly pending: () => number;
};

export function fakeClock(random: () => number = () => 0): FakeClock {
  let nowMs = 0;
  let outside = 0;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    now: () => nowMs,
    random,
    schedule: (afterMs, run) => {
      const timer = { atMs: nowMs + afterMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    outside: async (work) => {
      outside += 1;
      return work.finally(() => {
        outside -= 1;
      });
    },
    during: async (work) => {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      void work.catch(() => {}).finally(done);
      for (;;) {
        await turn();
        if (isDone) return work;
        if (outside > 0) continue;
        const [next] = [...timers].toSorted((a, b) => a.atMs - b.atMs);
        // Real work is running, such as opening a file.
        if (next === undefined) continue;
        timers.delete(next);
        nowMs = next.atMs;
        next.run();
      }
    },
  };
}

export type Scripted =
  | {
      readonly status: number;
      readonly body?: object | string;
      readonly headers?: Record<string, string>;
      readonly afterMs?: number;
    }
  | { readonly breaks: Error; readonly afterMs?: number }
  /** Never answers, and ignores signals. */
  | { readonly hangs: true };

export type Seen = {
  readonly atMs: number;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Replies in the order of the script; the last one is repeated. */
export function scriptedFetch(
  clock: FakeClock,
  script: readonly Scripted[],
): { fetch: Fetch; seen: readonly Seen[] } {
  const seen: Seen[] = [];
  const after = (afterMs: number) => new Promise<void>((resolve) => clock.schedule(afterMs, resolve));
  const fetch: Fetch = async (url, init) => {
    const step = script[Math.min(seen.length, script.length - 1)];
    if (step === undefined) throw new Error('nothing is scripted');
    const atMs = clock.now();
    const body =
      init.body === null || init.body === undefined
        ? ''
        : await clock.outside(new Response(init.body).text());
    seen.push({
      atMs,
      url,
      method: init.method ?? '',
      headers: init.headers,
      body,
    });
    if ('hangs' in step) return new Promise<never>(() => {});
    if (step.afterMs !== undefined) await after(step.afterMs);
    if ('breaks' in step) throw step.breaks;
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? {});
    return new Response(text, { status: step.status, headers: step.headers ?? {} });
  };
  return { fetch, seen };
}
