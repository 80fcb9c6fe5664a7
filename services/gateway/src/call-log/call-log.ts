/**
 * Stores the call log in batches, outside the request. While Postgres is unavailable or slow, calls go to the spool on disk,
 * if there is one, and are stored later, oldest first (decision 27, call log). Nothing here ever fails or delays a request.
 *
 * A killed process loses the calls of the last 50 ms, or of the last 300 ms if Postgres stopped answering just then. Without a
 * spool, it also loses the calls that wait for Postgres.
 */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { createBacklog } from './call-log-backlog.ts';
import type { CallSpool } from './call-log-spool.ts';
import { type AnsweredCall, numberCalls, type WriteCalls, writeAround } from './call-log-writing.ts';
import type { Call } from './calls-store.ts';

export type CallLog = AsyncDisposable & {
  /** @param keyWasFound whether a look-up has found the key. Calls with other keys, which may be made up, get little memory. */
  readonly record: (call: AnsweredCall, keyWasFound?: boolean) => void;
};

/**
 * With the 10 ms for which a further thread gathers before, half of the 100 ms within which a call must be in the log; Postgres has the
 * other half.
 */
const gatherMs = 40;
const batchSize = 1_000;
/** About 30 MB at most: half an hour of calls at 60 a second. */
const defaultMaxInMemory = 100_000;
/** During an outage, few keys are used for the first time, but made-up keys are unlimited. */
const maxOfUnfoundKeys = 2_000;
/** A slower store is treated as unavailable. If its write succeeds after all, each call is still stored once. */
const slowMs = 250;
const defaultRetryMs = 1_000;
/** How often to look for spools of dead processes. */
const adoptEveryMs = 30_000;
/** How often a stopping process tries to store its calls, and those of the spool. */
const lastTries = 3;
const emptySpoolMs = 3_000;

export function startCallLog(o: {
  write: WriteCalls;
  /** The log disposes of it. */
  spool?: CallSpool | undefined;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  maxInMemory?: number;
  retryMs?: number;
}): CallLog {
  const { logger, spool } = o;
  const maxInMemory = o.maxInMemory ?? defaultMaxInMemory;
  const retryMs = o.retryMs ?? defaultRetryMs;
  let lost = 0;
  const onLost = (count: number) => {
    lost += count;
  };
  const write = writeAround({ write: o.write, clock: o.clock, logger, onLost });
  const number = numberCalls();
  const backlog = createBacklog({ spool, logger, onLost });
  const unfoundLost = o.metrics.counter({
    name: 'call_log_unfound_keys_lost_total',
    help: 'Calls not logged because of too many with keys that no look-up has found; most of these are made up.',
  });
  const countUnfoundLost = () => unfoundLost.inc();
  const countLost = measureCallLog({
    ...o,
    waiting: () => ({
      inMemory: recorded.length + ofUnfoundKeys.length + backlog.inMemory(),
      spoolBytes: spool?.bytes() ?? 0,
      oldestAtMs: backlog.oldestAtMs() ?? recorded[0]?.at.getTime(),
    }),
  });

  let recorded: AnsweredCall[] = [];
  /** Postgres removes calls whose key does not exist. They wait for it in memory and use no disk space. */
  let ofUnfoundKeys: Call[] = [];
  let away = false;
  let stopped = false;
  let beat: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let delivering: Promise<void> | undefined;
  let deliveringUnfound: Promise<void> | undefined;
  let replaying: Promise<void> | undefined;

  /** Called for every request, so it only appends to an array; the timer does the rest. */
  function record(call: AnsweredCall, keyWasFound = true): void {
    if (!keyWasFound) recordOfUnfoundKey(call);
    else if (recorded.length + backlog.inMemory() < maxInMemory) recorded.push(call);
    else lost += 1;
    beat ??= setTimeout(onBeat, gatherMs);
  }

  function recordOfUnfoundKey(call: AnsweredCall): void {
    if (ofUnfoundKeys.length < maxOfUnfoundKeys) ofUnfoundKeys.push(...number([call]));
    else countUnfoundLost();
  }

  function onBeat(): void {
    beat = undefined;
    countAllLost();
    if (stopped) return;
    if (away && spool !== undefined) void backlog.keep(take());
    else if (!away) delivering ??= deliver().finally(() => (delivering = undefined));
    if (!away) deliveringUnfound ??= deliverUnfound().finally(() => (deliveringUnfound = undefined));
    if (recorded.length + ofUnfoundKeys.length > 0) beat = setTimeout(onBeat, gatherMs);
  }

  function take(most = recorded.length): Call[] {
    const taken = recorded.slice(0, most);
    recorded = recorded.slice(most);
    return number(taken);
  }

  async function deliver(): Promise<void> {
    while (recorded.length > 0 && !away) await deliverBatch(take(batchSize));
    countAllLost();
    retryIn(away ? retryMs : 0);
  }

  async function deliverUnfound(): Promise<void> {
    try {
      while (ofUnfoundKeys.length > 0) {
        const batch = ofUnfoundKeys.slice(0, batchSize);
        await write(batch);
        ofUnfoundKeys = ofUnfoundKeys.slice(batch.length);
      }
    } catch (error) {
      away = true;
      logger.warn({ error }, 'calls with keys not seen before are not written, will try again');
      retryIn(retryMs);
    }
  }

  async function deliverBatch(batch: Call[]): Promise<void> {
    let kept: Promise<void> | undefined;
    const keep = () => {
      away = true;
      kept ??= backlog.keep(batch);
    };
    const slow = spool === undefined ? undefined : setTimeout(keep, slowMs);
    try {
      await write(batch);
      away = false;
    } catch (error) {
      logger.warn({ error }, 'call log not written, will try again');
      keep();
    }
    clearTimeout(slow);
    await kept;
  }

  function retryIn(delayMs: number): void {
    if (stopped || retry !== undefined || replaying !== undefined || !(away || !backlog.isEmpty())) return;
    retry = setTimeout(() => {
      retry = undefined;
      replaying = replayAndComeBack();
    }, delayMs);
  }

  async function replayAndComeBack(): Promise<void> {
    await replay(() => !stopped);
    replaying = undefined;
    retryIn(retryMs);
  }

  /** Stores the backlog until it is empty or Postgres is unavailable. New calls are stored meanwhile. */
  async function replay(mayContinue: () => boolean): Promise<void> {
    try {
      while (mayContinue() && (await writeOldest())) away = false;
      // Nothing is left to test Postgres with; the next call does that.
      if (backlog.isEmpty()) away = false;
    } catch (error) {
      away = true;
      logger.warn({ error }, 'call log still not written, will try again');
    }
    countAllLost();
  }

  async function writeOldest(): Promise<boolean> {
    const part = await backlog.oldest();
    if (part === null) return false;
    try {
      const calls = [...part.calls];
      while (calls.length > 0) {
        const batch = calls.splice(0, batchSize);
        await write(batch);
        part.progress(batch.length);
        away = false;
      }
    } catch (error) {
      part.putBack();
      throw error;
    }
    await part.written();
    return true;
  }

  function countAllLost(): void {
    if (lost > 0) countLost(lost);
    lost = 0;
  }

  async function adopt(): Promise<void> {
    await spool?.adopt().catch((error: unknown) => logger.error({ error }, 'call log spool cannot be read'));
    retryIn(0);
  }
  const adopting = setInterval(() => void adopt(), adoptEveryMs);
  adopting.unref();
  const adopted = adopt();

  /** With a disk, an unavailable store is not waited for; without one, only shortly. */
  async function drain(): Promise<void> {
    await Promise.all([adopted, delivering, deliveringUnfound, replaying]);
    backlog.hold([...take(), ...ofUnfoundKeys]);
    ofUnfoundKeys = [];
    const until = performance.now() + emptySpoolMs;
    const mayContinue = () => spool === undefined || performance.now() < until;
    for (let tries = 0; tries < lastTries && !backlog.isEmpty(); tries += 1) {
      if (mayContinue() && !(away && spool !== undefined)) await replay(mayContinue);
    }
    await backlog.keep([]);
    onLost(backlog.inMemory());
  }

  return {
    record,
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      clearTimeout(beat);
      clearTimeout(retry);
      clearInterval(adopting);
      await drain();
      if (lost > 0) logger.error({ lost }, 'stopped with calls not logged');
      countAllLost();
      try {
        await spool?.[Symbol.asyncDispose]();
      } catch (error) {
        logger.error({ error }, 'call log spool not closed');
      }
    },
  };
}

type Waiting = {
  readonly inMemory: number;
  readonly spoolBytes: number;
  readonly oldestAtMs: number | undefined;
};

/** Gauges are read at each scrape. @returns the counter of lost calls */
function measureCallLog(o: {
  metrics: Metrics;
  clock: Clock;
  waiting: () => Waiting;
}): (lostCalls: number) => void {
  const inMemory = { name: 'call_log_waiting_calls', help: 'Calls in memory that wait to be logged.' };
  o.metrics.readGauge(inMemory, (gauge) => gauge.set(o.waiting().inMemory));
  const spoolBytes = { name: 'call_log_spool_bytes', help: 'Size of the spool on disk.' };
  o.metrics.readGauge(spoolBytes, (gauge) => gauge.set(o.waiting().spoolBytes));
  const age = {
    name: 'call_log_oldest_call_age_seconds',
    help: 'How long ago the oldest call that waits to be logged was made; 0 when there is none.',
  };
  o.metrics.readGauge(age, (gauge) => {
    const { oldestAtMs } = o.waiting();
    const ageMs = oldestAtMs === undefined ? 0 : o.clock.now().getTime() - oldestAtMs;
    gauge.set(Math.max(0, ageMs) / 1_000);
  });
  return countLostCalls(o.metrics);
}

export function countLostCalls(metrics: Metrics): (lostCalls: number) => void {
  const lost = metrics.counter({
    name: 'call_log_lost_total',
    help: 'Calls not logged: memory or spool was full, or the store can never take them.',
  });
  return (calls) => lost.inc(calls);
}
