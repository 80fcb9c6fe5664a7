/**
 * The processes that open pictures: one for each slot, with one picture at a time. A process is killed and replaced if its picture takes
 * too long or too much memory. So whatever ends a process was done by the picture in it (ADR 21).
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
import { Unopenable } from '../domain/picture-limits.ts';
import { tookTooLong } from '../verdicts/admission.ts';
import type { Reply, Request, RoomReply, Tasks } from './decoder-process.ts';

/**
 * The process of one slot. A task rejects with an `Unopenable` if the picture ended the process, with a 422 if it took too long, with a
 * 503 if there is no process, and with the signal's reason if that aborted before the task began. A task that runs is never interrupted
 * for its caller: it keeps its slot until it ends.
 */
export type Decoder = {
  readonly run: <Name extends keyof Tasks>(
    task: Name,
    args: Parameters<Tasks[Name]>,
    signal: AbortSignal,
  ) => ReturnType<Tasks[Name]>;
  readonly isBusy: () => boolean;
  /** The processor time of its tasks since the last call; of a task that ended the process, all the time that it took. */
  readonly takeProcessorMs: () => number;
};

export type Decoders = AsyncDisposable & {
  /** One for each slot. */
  readonly all: readonly Decoder[];
  readonly ready: () => boolean;
};

export type DecoderLimits = {
  readonly taskMs: number;
  /** The memory of a process; only Linux reports it, elsewhere there is no limit. */
  readonly maxBytes: number;
};

const usualLimits: DecoderLimits = {
  // The slowest picture takes 6 s, ordinary ones 0.1 s. Callers have gone after 9 s; this leaves a busy machine some time.
  taskMs: 12_000,
  // Three times what a picture may hold when it is open (`maxHeldBytes`): its file, the cleaned copy and the decoders are there too.
  maxBytes: 256 * 2 ** 20,
};
/** Longer than loading the decoders takes on a busy machine. */
const startWithinMs = 30_000;
/** After a process that was of no use. Short, because callers wait for the next one for 9 s. */
const betweenStarts = { firstMs: 250, longestMs: 2_000 };
/** Reading the memory takes microseconds; decoders need a tenth of a second to allocate some ten megabytes. */
const watchEveryMs = 100;

type Cause = 'time' | 'memory' | 'crash';
type Task = {
  readonly request: Request;
  readonly signal: AbortSignal;
  readonly reject: (reason: unknown) => void;
  readonly resolve: (result: unknown) => void;
  startedAtMs: number;
  endRoom?: () => void;
};

/** Resolves when all processes are ready; rejects if one cannot start, because then none will. */
export async function startDecoders(o: {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly slots: number;
  readonly limits?: DecoderLimits;
  /** For tests. */
  readonly file?: URL;
}): Promise<Decoders> {
  const { logger, limits = usualLimits } = o;
  const deaths = o.metrics.counter({
    name: 'moderation_decoder_deaths_total',
    help: 'Processes that opened pictures, ended and were replaced, by cause.',
    labelNames: ['cause'],
    from0: { cause: ['time', 'memory', 'crash'] },
  });
  const stop = new AbortController();
  const file = o.file ?? new URL('./decoder-process.ts', import.meta.url);
  const start = () => startProcess(file, stop.signal);
  const takeRoom = createMutex();

  /** Keeps a process in a slot: replaces the one that has ended. */
  function keepDecoder(first: ChildProcess) {
    /** The process that serves now, or the next one. */
    let serving = Promise.withResolvers<ChildProcess>();
    let isServing = false;
    let task: Task | undefined;
    let lastId = 0;
    let processorMs = 0;

    function end(ended: Task): Task {
      ended.endRoom?.();
      task = undefined;
      return ended;
    }

    function answer(reply: Exclude<Reply, { needsRoom: true }>): void {
      if (task === undefined || reply.id !== task.request.id) return;
      const { resolve, reject } = end(task);
      processorMs += reply.processorMs;
      leaveGarbage(reply, 2);
      if ('result' in reply) resolve(reply.result);
      else reject('problem' in reply ? new Unopenable(reply.problem) : new Error(reply.error));
    }

    async function giveRoom(child: ChildProcess): Promise<void> {
      const asking = task;
      if (asking === undefined) return;
      if (asking.endRoom === undefined) {
        // The time of the wait is not the picture's.
        asking.startedAtMs = Number.POSITIVE_INFINITY;
        const endRoom = await takeRoom();
        if (task !== asking) return endRoom();
        asking.endRoom = endRoom;
        asking.startedAtMs = performance.now();
      }
      child.send({ hasRoom: !asking.signal.aborted } satisfies RoomReply, () => {});
    }

    /** Resolves when the process has ended. @returns false if it crashed before it had answered anything */
    async function serve(child: ChildProcess): Promise<boolean> {
      let hasAnswered = false;
      let cause: Cause = 'crash';
      const watch = setInterval(() => {
        if (task === undefined || child.killed) return;
        if (performance.now() > task.startedAtMs + limits.taskMs) cause = 'time';
        else if (residentBytes(child) > limits.maxBytes) cause = 'memory';
        else return;
        child.kill('SIGKILL');
      }, watchEveryMs);
      child.on('message', (reply: Reply) => {
        hasAnswered = true;
        if ('needsRoom' in reply) void giveRoom(child);
        else answer(reply);
      });
      isServing = true;
      serving.resolve(child);
      await ended(child, stop.signal);
      isServing = false;
      serving = Promise.withResolvers();
      serving.promise.catch(() => {});
      clearInterval(watch);
      const culprit = task === undefined ? undefined : end(task);
      if (stop.signal.aborted) {
        culprit?.reject(stop.signal.reason);
        return true;
      }
      const { exitCode, signalCode } = child;
      deaths.inc({ cause });
      logger.error({ cause, exitCode, signalCode }, 'a process that opens pictures ended; starting another');
      if (culprit !== undefined) {
        processorMs += Math.max(0, performance.now() - culprit.startedAtMs);
        culprit.reject(refusalOf(cause, signalCode));
      }
      return hasAnswered || cause !== 'crash';
    }

    async function keep(): Promise<void> {
      const pauses = growingPauses(stop.signal, betweenStarts);
      for (let child: ChildProcess | undefined = first; !stop.signal.aborted; child = undefined) {
        try {
          if (await serve(child ?? (await start()))) pauses.startAnew();
          else await pauses.wait();
        } catch (error) {
          if (!stop.signal.aborted) logger.error({ error }, 'a process that opens pictures does not start');
          serving.reject(serviceUnavailable('no process opens pictures', error));
          serving = Promise.withResolvers();
          serving.promise.catch(() => {});
          await pauses.wait();
        }
      }
      serving.reject(stop.signal.reason);
    }

    async function run(name: keyof Tasks, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
      const child = await serving.promise;
      signal.throwIfAborted();
      if (task !== undefined) throw new Error('a process opens one picture at a time');
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      lastId += 1;
      const request: Request = { id: lastId, task: name, args };
      task = { request, signal, resolve, reject, startedAtMs: performance.now() };
      // If it cannot be sent, the process is ending, which ends the task.
      child.send(request, () => leaveGarbage(args, 2));
      return promise;
    }

    const decoder: Decoder = {
      run: run as Decoder['run'],
      isBusy: () => task !== undefined,
      takeProcessorMs: () => {
        const taken = processorMs;
        processorMs = 0;
        return taken;
      },
    };
    return { decoder, isServing: () => isServing, kept: keep() };
  }

  const starts = await Promise.allSettled(
    Array.from({ length: o.slots }, async () => keepDecoder(await start())),
  );
  const all = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stopAll = async () => {
    stop.abort(serviceUnavailable('the service stops'));
    await Promise.all(all.map(({ kept }) => kept));
  };
  const failed = starts.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stopAll();
    throw failed.reason;
  }
  return {
    all: all.map(({ decoder }) => decoder),
    ready: () => all.some(({ isServing }) => isServing()),
    [Symbol.asyncDispose]: stopAll,
  };
}

/** @returns waits for the turn; call its result to end the turn */
function createMutex(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}

/** Kills the process when the service stops. */
async function ended(child: ChildProcess, stopped: AbortSignal): Promise<void> {
  const kill = () => child.kill('SIGKILL');
  stopped.addEventListener('abort', kill);
  if (stopped.aborted) kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  stopped.removeEventListener('abort', kill);
}

function refusalOf(cause: Cause, signalCode: NodeJS.Signals | null): Error {
  if (cause === 'time') return tookTooLong('the process that opened it was killed');
  // Killed by something outside, such as the kernel when the whole machine is out of memory: that says nothing about the picture.
  if (cause === 'crash' && signalCode === 'SIGKILL')
    return serviceUnavailable('the process that opened the picture was killed from outside');
  return new Unopenable(cause === 'memory' ? 'too-much-memory' : 'damaged');
}

/** Resolves when the process can take tasks. */
async function startProcess(file: URL, stopped: AbortSignal): Promise<ChildProcess> {
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
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gaveUp = new AbortController();
  const giveUp = () => gaveUp.abort(new Error('it ended before it was ready'));
  child.once('exit', giveUp).on('error', giveUp);
  try {
    await once(child, 'message', {
      signal: AbortSignal.any([gaveUp.signal, stopped, AbortSignal.timeout(startWithinMs)]),
    });
    return child;
  } catch (error) {
    child.kill('SIGKILL');
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

// The service's memory stays small while many large files pass through it.

// Ordinary pictures leave 2 MB of buffers each. By default V8 collected everything after six of them; with this, it waits until the heap
// with its buffers has doubled, which takes 20 MB.
setFlagsFromString('--heap-growing-percent=100');

/** Of ordinary pictures V8 collects what is left in time. */
const largeFromBytes = 2 ** 20;
/**
 * V8 lets buffers outside its heap grow by a hundred megabytes before it collects them, and more on a busy machine. So after this much of
 * large files the service collects them itself, which takes some 30 ms.
 */
const collectAfterBytes = 8 * 2 ** 20;
let leftBytes = 0;

/** Call it when copies of a value are no longer used: of an upload that was read, of a message between the processes. */
export function leaveGarbage(value: unknown, copies = 1): void {
  const bytes = bytesIn(value);
  if (bytes < largeFromBytes) return;
  leftBytes += copies * bytes;
  if (leftBytes < collectAfterBytes) return;
  leftBytes = 0;
  setImmediate(collectGarbage, { type: 'major' });
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + bytesIn(part), 0);
}
