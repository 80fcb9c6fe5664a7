/** The model as the service sees it: several threads, each replaced when it ends. Every picture gets an answer. */
import { setTimeout as pause } from 'node:timers/promises';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { Scores } from '../domain/decision.ts';
import type { LookShape } from '../pictures/clean-picture.ts';
import { type ModelIdentity, type ModelThread, readModel, startModelThread } from './model-thread.ts';
import type { NsfwjsModel } from './nsfwjs-model.ts';

/** Judges pictures: the threads below, or a hosted service (hosted/). */
export type Model = AsyncDisposable & {
  readonly identity: ModelIdentity;
  /** Undefined: squares of 224 pixels to which pictures are stretched. */
  readonly lookShape?: LookShape;
  /** One result per look. Rejects with a 503 if there is no result, for whatever reason. */
  readonly score: (looks: readonly Uint8Array[], signal: AbortSignal) => Promise<readonly Scores[]>;
  readonly ready: () => boolean;
};

type Job = {
  readonly looks: readonly Uint8Array[];
  readonly resolve: (scores: readonly Scores[]) => void;
  readonly reject: (reason: unknown) => void;
};

/** Longer than any caller waits (decision 23, deadlines and outages: 10 s): a thread that has not answered by then hangs. */
const hungAfterMs = 12_000;
/** Growing delays before a thread is replaced, so that a model that cannot run does not use a whole core. */
const restartDelaysMs = [0, 100, 500, 2_000, 10_000, 30_000];

/** Resolves when the first thread is ready; rejects if it cannot start, because then none will. */
export async function startModel(o: {
  readonly threads: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** For tests. */
  readonly startThread?: (model: NsfwjsModel) => Promise<ModelThread>;
}): Promise<Model> {
  const read = await readModel();
  const startThread = () => (o.startThread ?? startModelThread)(read);
  const deaths = o.metrics.counter({
    name: 'moderation_model_thread_deaths_total',
    help: 'Model threads that ended and were replaced.',
  });
  const stop = new AbortController();
  const alive = new Set<ModelThread>();
  const idle = new Set<ModelThread>();
  const waiting = new Set<Job>();

  function assign(): void {
    for (const thread of idle) {
      const [job] = waiting;
      if (job === undefined) return;
      waiting.delete(job);
      void work(thread, job);
    }
  }

  async function work(thread: ModelThread, job: Job): Promise<void> {
    idle.delete(thread);
    const hung = setTimeout(() => void thread.terminate(), hungAfterMs).unref();
    try {
      job.resolve(await thread.score(job.looks));
      if (alive.has(thread)) idle.add(thread);
      assign();
    } catch (error) {
      job.reject(serviceUnavailable("the model's thread died on a picture", error));
    } finally {
      clearTimeout(hung);
    }
  }

  /** Keeps one place filled with a living thread until the service stops. */
  async function keepThread(first?: ModelThread): Promise<void> {
    let failures = 0;
    for (let next = first; !stop.signal.aborted; next = undefined) {
      const startedAt = performance.now();
      const reason = await runThread(next).catch((error: unknown) => error);
      if (stop.signal.aborted) return;
      failures = performance.now() - startedAt > 60_000 ? 0 : failures + 1;
      deaths.inc();
      o.logger.error({ error: reason, failures }, "the model's thread ended; starting another");
      const delayMs = restartDelaysMs[Math.min(failures, restartDelaysMs.length) - 1] ?? 0;
      await pause(delayMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  async function runThread(started?: ModelThread): Promise<Error> {
    const thread = started ?? (await startThread());
    if (stop.signal.aborted) await thread.terminate();
    alive.add(thread);
    idle.add(thread);
    assign();
    const reason = await thread.ended;
    alive.delete(thread);
    idle.delete(thread);
    return reason;
  }

  const first = await startThread();
  const places = [keepThread(first), ...Array.from({ length: o.threads - 1 }, () => keepThread())];

  return {
    identity: { name: 'nsfwjs-mobilenet-v2', version: read.version },
    ready: () => alive.size > 0,
    score: (looks, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Scores[]>();
      const job: Job = { looks, resolve, reject };
      const giveUp = () => {
        if (!waiting.delete(job)) return;
        const { reason }: { reason: unknown } = signal;
        reject(isCallerGone(reason) ? reason : serviceUnavailable('no model thread within the time', reason));
      };
      waiting.add(job);
      // A signal that was already aborted sends no event.
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp);
      assign();
      // A timeout signal keeps its listeners until it fires; without this, the looks of all pictures of ten seconds would stay in memory.
      return promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      for (const job of waiting) job.reject(serviceUnavailable('the service stops'));
      waiting.clear();
      await Promise.all([...alive].map((thread) => thread.terminate()));
      await Promise.all(places);
    },
  };
}
