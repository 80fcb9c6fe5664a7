/** One thread that holds a model: started, asked one picture at a time, and known to be dead when it is. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scores } from '../domain/decision.ts';
import { nsfwjsScores } from '../domain/nsfwjs-scores.ts';
import type { NsfwjsModel } from './nsfwjs-model.ts';

/** Kept verdicts count only while both are the same. */
export type ModelIdentity = { readonly name: string; readonly version: string };
export type ScoreRequest = { readonly looks: readonly Uint8Array[] };
export type ScoreReply = { readonly outputs: readonly (readonly number[])[] };

export type ModelThread = {
  /** One call at a time. Rejects when the thread ends before it has answered. */
  readonly score: (looks: readonly Uint8Array[]) => Promise<readonly Scores[]>;
  /** Resolves with the reason when the thread has ended, by itself or not. */
  readonly ended: Promise<Error>;
  readonly terminate: () => Promise<void>;
};

/** Reads the model once, for all threads. */
export async function readModel(): Promise<NsfwjsModel> {
  const worker = start(new URL('./model-reader.ts', import.meta.url));
  const model = await nextMessage<NsfwjsModel>(worker);
  await worker.terminate();
  return model;
}

/**
 * Resolves when the model is loaded and warm; rejects when it cannot be.
 * @param file another backend's thread, to compare with
 */
export async function startModelThread(
  model: NsfwjsModel,
  file: URL = new URL('./model-worker.ts', import.meta.url),
): Promise<ModelThread> {
  const worker = start(file, model);
  const ended = endOf(worker);
  await nextMessage(worker);
  return {
    ended,
    score: async (looks) => {
      const reply = nextMessage<ScoreReply>(worker);
      worker.postMessage({ looks } satisfies ScoreRequest);
      return (await reply).outputs.map(nsfwjsScores);
    },
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/** For objects that live as long as a look. The default takes tens of megabytes of each thread. */
const youngMegabytes = 4;

function start(file: URL, workerData?: NsfwjsModel): Worker {
  return new Worker(file, {
    workerData,
    // Without the process's flags: `--import telemetry` is for the service, not for arithmetic.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
}

/** Rejects when the thread fails or ends first; leaves no listener behind, since a thread answers for weeks. */
async function nextMessage<T>(worker: Worker): Promise<T> {
  const exit = new AbortController();
  const onExit = () => exit.abort();
  worker.once('exit', onExit);
  try {
    const [message] = (await once(worker, 'message', { signal: exit.signal })) as [T];
    return message;
  } finally {
    worker.off('exit', onExit);
  }
}

function endOf(worker: Worker): Promise<Error> {
  return new Promise((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) => resolve(new Error(`the model's thread ended with code ${code}`)));
  });
}
