/**
 * The process that opens pictures, as the service sees it. It is killed and replaced if a picture takes too long or too much memory, or if
 * nobody waits any more for what runs in it. The other pictures in it are tried again, each alone, so that the next death shows which one
 * caused it (ADR 21).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { collectGarbage } from '@offer-ads/platform/process/garbage';
import { growingPauses } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { tookTooLong } from '../verdicts/admission.ts';
import { type CleanPicture, Unopenable } from './clean-picture.ts';
import type { Abandonment, Reply, Request, Tasks } from './decoder-process.ts';

/**
 * Rejects with an `Unopenable` if the picture killed the process, with a 422 if it took too long, and with a 503 if there is no process.
 */
export type Decoder = Tasks &
  AsyncDisposable & {
    readonly ready: () => boolean;
    /** The tasks as such are for the platform team, who wait for every result. */
    readonly tasksFor: (caller: Caller) => Tasks;
  };

export type Caller = {
  /**
   * Aborts when nobody waits for the result any more. A task that has not begun then rejects at once. One that runs rejects when it has
   * stopped. In both cases with the signal's reason.
   */
  readonly signal: AbortSignal;
  /**
   * Called for each task that ended, whatever its outcome, with its processor time; for a task that ended a process, with all the time
   * since its start.
   */
  readonly countProcessorTime: (ms: number) => void;
};
const staff: Caller = { signal: new AbortController().signal, countProcessorTime: () => {} };

export type DecoderLimits = {
  /** For a task that runs beside others. */
  readonly taskMs: number;
  /** For a task that is tried again while nothing else runs. */
  readonly aloneMs: number;
  /** The memory of the whole process; only Linux reports it, elsewhere there is no limit. */
  readonly maxBytes: number;
  /** For tasks for which nobody waits any more to stop, before the process is killed if nothing else runs in it. */
  readonly abandonedMs: number;
};

const usualLimits: DecoderLimits = {
  // Decoders stop by themselves after 10 s if they can, which does not affect other pictures.
  taskMs: 12_000,
  // The slowest normal picture takes 5 s, ordinary ones 0.1 s.
  aloneMs: 5_000,
  // A third more than the maximum with many concurrent pictures at the limits (200 MB).
  maxBytes: 256 * 2 ** 20,
  // Most tasks take less. Another process takes about 0.3 s of processor time to start.
  abandonedMs: 1_000,
};
/** Longer than loading the decoders takes on a busy machine. */
const startWithinMs = 30_000;
/** After a process that was of no use. Short, because callers wait for the next one for 9 s. */
const betweenStarts = { firstMs: 250, longestMs: 2_000 };
/** Reading the memory takes microseconds; decoders need a tenth of a second to allocate some ten megabytes. */
const watchEveryMs = 100;

/**
 * For larger pictures, garbage is collected after the copies between the processes; ordinary ones are smaller. V8 lets buffers outside
 * its heap grow by a hundred megabytes before it collects them; a collection takes about 30 ms.
 */
const manyBytes = 2 ** 20;
// Ordinary pictures leave 2 MB of such buffers each. By default V8 collected everything after six of them, for a third of the time of this
// process; with this, it waits until the heap with its buffers has doubled, which takes 20 MB.
setFlagsFromString('--heap-growing-percent=100');

type Task = {
  readonly request: Request;
  readonly caller: Caller;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** It was in a process that died, and from then on runs alone. */
  isSuspect: boolean;
  /** The process was killed because of it. */
  isOverTime: boolean;
  abandonedAtMs?: number;
  begunAtMs?: number;
  timer?: NodeJS.Timeout;
};

type Running = { readonly child: ChildProcess; readonly exited: Promise<unknown> };

/** Resolves when the process is ready; rejects if it cannot start, because then none will. */
export async function startDecoder(o: {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The limit of admission for concurrent pictures, which also limits how many wait here. */
  readonly atOnce: number;
  readonly limits?: DecoderLimits;
  /** For tests. */
  readonly file?: URL;
}): Promise<Decoder> {
  const limits = o.limits ?? usualLimits;
  const deaths = o.metrics.counter({
    name: 'moderation_decoder_deaths_total',
    help: 'Processes that opened pictures, ended and were replaced, by cause.',
    labelNames: ['cause'],
    from0: { cause: ['time', 'memory', 'crash'] },
  });
  const stop = new AbortController();
  const pauses = growingPauses(stop.signal, betweenStarts);
  const file = o.file ?? new URL('./decoder-process.ts', import.meta.url);
  let ready: ChildProcess | undefined;
  let lastId = 0;
  const waiting = new Set<Task>();
  const suspects = new Set<Task>();
  const running = new Map<number, Task>();

  function assign(child: ChildProcess): void {
    const [suspect] = suspects;
    if (suspect !== undefined) {
      if (running.size === 0) begin(child, suspect, limits.aloneMs);
      return;
    }
    if ([...running.values()].some(({ isSuspect }) => isSuspect)) return;
    for (const task of waiting) begin(child, task, limits.taskMs);
  }

  function begin(child: ChildProcess, task: Task, limitMs: number): void {
    suspects.delete(task);
    waiting.delete(task);
    running.set(task.request.id, task);
    task.begunAtMs = performance.now();
    task.timer = setTimeout(() => {
      // Already killed: the other tasks in it have only waited.
      if (child.killed) return;
      task.isOverTime = true;
      child.kill('SIGKILL');
    }, limitMs);
    // If a task cannot be sent, the process is ending, and the task is tried again afterwards.
    child.send(task.request, () => {
      // Frees the copy that was sent.
      if (task.request.hasManyBytes) collectGarbage({ type: 'minor' });
    });
  }

  function settle(child: ChildProcess, reply: Reply): void {
    const task = running.get(reply.id);
    if (task === undefined) return;
    running.delete(reply.id);
    clearTimeout(task.timer);
    task.caller.countProcessorTime(reply.processorMs);
    if (task.request.hasManyBytes) setImmediate(collectGarbage, { type: 'major' });
    const { signal } = task.caller;
    if (signal.aborted) task.reject(signal.reason);
    else if ('result' in reply) task.resolve(reply.result);
    else if ('problem' in reply) task.reject(new Unopenable(reply.problem));
    else task.reject(reply.isLate ? tookTooLong(reply.error) : new Error(reply.error));
    assign(child);
  }

  function abandon(task: Task): void {
    if (waiting.delete(task) || suspects.delete(task)) return task.reject(task.caller.signal.reason);
    task.abandonedAtMs = performance.now();
    // If it cannot be sent, the process is ending.
    if (running.has(task.request.id))
      ready?.send({ abandoned: task.request.id } satisfies Abandonment, () => {});
  }

  /** Whether all tasks in the process are abandoned, and one of them does not stop. */
  function isAbandoned(): boolean {
    const tasks = [...running.values()];
    const before = performance.now() - limits.abandonedMs;
    return (
      tasks.every(({ caller }) => caller.signal.aborted) &&
      tasks.some(({ abandonedAtMs = Number.POSITIVE_INFINITY }) => abandonedAtMs <= before)
    );
  }

  /** Resolves when the process has ended. @returns false if it crashed before it had answered anything */
  async function live({ child, exited }: Running): Promise<boolean> {
    let hasAnswered = false;
    let killedFor: 'memory' | 'abandoned' | undefined;
    const watch = setInterval(() => {
      if (running.size === 0 || child.killed) return;
      if (residentBytes(child) > limits.maxBytes) killedFor = 'memory';
      else if (isAbandoned()) killedFor = 'abandoned';
      if (killedFor !== undefined) child.kill('SIGKILL');
    }, watchEveryMs);
    child.on('message', (reply: Reply) => {
      hasAnswered = true;
      settle(child, reply);
    });
    ready = child;
    assign(child);
    await exited;
    clearInterval(watch);
    ready = undefined;
    if (stop.signal.aborted) return true;
    const isOverTime = [...running.values()].some((task) => task.isOverTime);
    const cause = isOverTime ? 'time' : (killedFor ?? 'crash');
    const { exitCode, signalCode } = child;
    const facts = { cause, exitCode, signalCode, pictures: running.size };
    if (cause === 'abandoned') {
      o.logger.info(
        facts,
        'nobody waits for what the process that opens pictures is doing; starting another',
      );
    } else {
      deaths.inc({ cause });
      o.logger.error(facts, 'the process that opens pictures ended; starting another');
    }
    for (const task of running.values()) {
      clearTimeout(task.timer);
      const { signal, countProcessorTime } = task.caller;
      const refusal = signal.aborted
        ? signal.reason
        : task.isOverTime
          ? tookTooLong('the process that opened it was killed')
          : task.isSuspect
            ? new Unopenable(cause === 'memory' ? 'too-much-memory' : 'damaged')
            : undefined;
      if (refusal === undefined) {
        suspects.add(Object.assign(task, { isSuspect: true }));
      } else {
        countProcessorTime(performance.now() - (task.begunAtMs ?? 0));
        task.reject(refusal);
      }
    }
    running.clear();
    return hasAnswered || cause !== 'crash';
  }

  async function keepProcess(first: Running): Promise<void> {
    for (let next: Running | undefined = first; !stop.signal.aborted; next = undefined) {
      try {
        if (await live(next ?? (await startProcess(file, o.atOnce, stop.signal)))) pauses.startAnew();
        else await pauses.wait();
      } catch (error) {
        if (stop.signal.aborted) return;
        o.logger.error({ error }, 'the process that opens pictures does not start');
        rejectAll(serviceUnavailable('no process opens pictures', error));
        await pauses.wait();
      }
    }
  }

  function rejectAll(reason: unknown): void {
    for (const task of [...suspects, ...waiting, ...running.values()]) {
      clearTimeout(task.timer);
      task.reject(reason);
    }
    for (const tasks of [suspects, waiting, running]) tasks.clear();
  }

  const call =
    (task: keyof Tasks, caller: Caller) =>
    (...args: readonly [Uint8Array | CleanPicture, ...unknown[]]): Promise<never> => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      lastId += 1;
      const [picture] = args;
      const bytes = picture instanceof Uint8Array ? picture : picture.bytes;
      const request: Request = { id: lastId, task, args, hasManyBytes: bytes.length > manyBytes };
      const { signal } = caller;
      if (stop.signal.aborted) reject(serviceUnavailable('the service stops'));
      else if (signal.aborted) reject(signal.reason);
      else {
        const added: Task = { request, caller, resolve, reject, isSuspect: false, isOverTime: false };
        const leave = () => abandon(added);
        signal.addEventListener('abort', leave, { once: true });
        const forget = () => signal.removeEventListener('abort', leave);
        promise.then(forget, forget);
        waiting.add(added);
        if (ready !== undefined) assign(ready);
      }
      return promise as Promise<never>;
    };
  const tasksFor = (caller: Caller): Tasks => ({
    cleanPicture: call('cleanPicture', caller),
    looksAt: call('looksAt', caller),
    smallCopyOf: call('smallCopyOf', caller),
    renditionOf: call('renditionOf', caller),
  });

  const kept = keepProcess(await startProcess(file, o.atOnce, stop.signal));
  return {
    ...tasksFor(staff),
    tasksFor,
    ready: () => ready !== undefined,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      rejectAll(serviceUnavailable('the service stops'));
      ready?.kill('SIGKILL');
      await kept;
    },
  };
}

/** Resolves when the process can take tasks. */
async function startProcess(file: URL, atOnce: number, stopped: AbortSignal): Promise<Running> {
  const child = fork(file, {
    serialization: 'advanced',
    // Without the service's flags: `--import telemetry` is not for this process.
    execArgv: ['--max-semi-space-size=4', '--expose-gc'],
    // Without the service's settings, which contain secrets. The allocator reuses the memory of ordinary pictures.
    env: {
      NODE_ENV: 'production',
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '4194304',
      MALLOC_TRIM_THRESHOLD_: '4194304',
      UV_THREADPOOL_SIZE: `${Math.max(4, atOnce)}`,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // The process could not be started. If it could not receive a message, it ends anyway.
    child.on('error', () => child.pid === undefined && resolve());
  });
  const gaveUp = new AbortController();
  void exited.then(() => gaveUp.abort(new Error('it ended before it was ready')));
  try {
    const signal = AbortSignal.any([gaveUp.signal, stopped, AbortSignal.timeout(startWithinMs)]);
    await once(child, 'message', { signal });
    return { child, exited };
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw error;
  }
}

/** 0 if the system does not report it, or the process has ended. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
