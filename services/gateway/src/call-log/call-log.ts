/**
 * The call log's way to the store: off the request path, in batches. While the store is away or slow, calls go to the
 * spool on disk where there is one, and follow later, oldest first (decision 27, call log). Nothing here ever fails
 * or delays a request.
 *
 * When the process is killed, it loses the calls of the last 50 ms; of the last 300 ms when that is just when the store
 * stops answering; without a spool also what waits for a store that is away.
 */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { createBacklog } from './call-log-backlog.ts';
import type { CallSpool } from './call-log-spool.ts';
import { type AnsweredCall, numberCalls, type WriteCalls, writeAround } from './call-log-writing.ts';
import type { Call } from './calls-store.ts';

export type CallLog = AsyncDisposable & {
  /** @param keyWasFound whether a look-up has found the key: a call with another one, which may be made up, gets little room */
  readonly record: (call: AnsweredCall, keyWasFound?: boolean) => void;
};

/** Half of the 100 ms within which a call is to be in the log; the other half is the store's. */
const gatherMs = 50;
const batchSize = 1_000;
/** About 30 MB at worst: half an hour of an outage at 60 calls a second. */
const defaultMostInMemory = 100_000;
/** Keys that are first used during an outage are few; made-up ones have no end. */
const mostOfUnfoundKeys = 2_000;
/** A store that takes longer is treated as if it were away; what it writes after all counts once. */
const slowMs = 250;
const defaultRetryMs = 1_000;
/** How often the spools of processes that have died are looked for. */
const adoptEveryMs = 30_000;
/** What a stopping process grants the store, and the spool that it can still empty into it. */
const lastTries = 3;
const emptySpoolMs = 3_000;

export function startCallLog(o: {
  write: WriteCalls;
  /** Disposed of with the log. */
  spool?: CallSpool | undefined;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  mostInMemory?: number;
  retryMs?: number;
}): CallLog {
  const { logger, spool } = o;
  const mostInMemory = o.mostInMemory ?? defaultMostInMemory;
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
  const countLost = tellOfCallLog({
    ...o,
    waiting: () => ({
      inMemory: recorded.length + ofUnfoundKeys.length + backlog.inMemory(),
      spoolBytes: spool?.bytes() ?? 0,
      oldestAtMs: backlog.oldestAtMs() ?? recorded[0]?.at.getTime(),
    }),
  });

  let recorded: AnsweredCall[] = [];
  /** The store sorts out those whose keys do not exist, so they wait for it here and take no room on disk. */
  let ofUnfoundKeys: Call[] = [];
  let away = false;
  let stopped = false;
  let beat: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let delivering: Promise<void> | undefined;
  let deliveringUnfound: Promise<void> | undefined;
  let replaying: Promise<void> | undefined;

  /** On the path of every request: it pushes, and all else waits for the beat. */
  function record(call: AnsweredCall, keyWasFound = true): void {
    if (!keyWasFound) recordOfUnfoundKey(call);
    else if (recorded.length + backlog.inMemory() < mostInMemory) recorded.push(call);
    else lost += 1;
    beat ??= setTimeout(onBeat, gatherMs);
  }

  function recordOfUnfoundKey(call: AnsweredCall): void {
    if (ofUnfoundKeys.length < mostOfUnfoundKeys) ofUnfoundKeys.push(...number([call]));
    else countUnfoundLost();
  }

  function onBeat(): void {
    beat = undefined;
    tellLost();
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
    tellLost();
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

  /** Writes what the store has missed until there is no more or the store is away. New calls need not wait for it. */
  async function replay(goOn: () => boolean): Promise<void> {
    try {
      while (goOn() && (await writeOldest())) away = false;
      // Nothing is left to try the store with: the next call will.
      if (backlog.isEmpty()) away = false;
    } catch (error) {
      away = true;
      logger.warn({ error }, 'call log still not written, will try again');
    }
    tellLost();
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

  function tellLost(): void {
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

  /** A store that is away is not waited for when there is a disk, and without one not for long. */
  async function drain(): Promise<void> {
    await Promise.all([adopted, delivering, deliveringUnfound, replaying]);
    backlog.hold([...take(), ...ofUnfoundKeys]);
    ofUnfoundKeys = [];
    const until = performance.now() + emptySpoolMs;
    const goOn = () => spool === undefined || performance.now() < until;
    for (let tries = 0; tries < lastTries && !backlog.isEmpty(); tries += 1) {
      if (goOn() && !(away && spool !== undefined)) await replay(goOn);
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
      tellLost();
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

/** What waits is read whenever somebody scrapes. @returns what counts lost calls */
function tellOfCallLog(o: {
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
  const lost = o.metrics.counter({
    name: 'call_log_lost_total',
    help: 'Calls not logged: memory or spool was full, or the store can never take them.',
  });
  return (calls) => lost.inc(calls);
}
