/** One thread with a model: starts it, sends it one picture at a time, and notices when it ends. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scores } from '../domain/decision.ts';
import { nsfwjsScores } from '../domain/nsfwjs-scores.ts';
import type { NsfwjsModel } from './nsfwjs-model.ts';

/** Stored verdicts are valid only while both are the same. */
export type ModelIdentity = { readonly name: string; readonly version: string };
export type ScoreRequest = { readonly looks: readonly Uint8Array[] };
export type ScoreReply = { readonly outputs: readonly (readonly number[])[] };

export type ModelThread = {
  /** One call at a time. Rejects if the thread ends before it has answered. */
  readonly score: (looks: readonly Uint8Array[]) => Promise<readonly Scores[]>;
  /** Resolves with the reason when the thread has ended, for whatever reason. */
  readonly ended: Promise<Error>;
  readonly terminate: () => Promise<void>;
};

/** Reads the model once for all threads. */
export async function readModel(): Promise<NsfwjsModel> {
  const worker = start(new URL('./model-reader.ts', import.meta.url));
  const model = await nextMessage<NsfwjsModel>(worker);
  await worker.terminate();
  return model;
}

/** Resolves when the model is loaded and warm; rejects if it cannot be loaded. */
export async function startModelThread(model: NsfwjsModel): Promise<ModelThread> {
  const worker = start(new URL('./model-worker.ts', import.meta.url), model);
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

/** For objects that live as long as a look. The default takes tens of megabytes per thread. */
const youngMegabytes = 4;

function start(file: URL, workerData?: NsfwjsModel): Worker {
  return new Worker(file, {
    workerData,
    // Without the process's flags: `--import telemetry` is not needed in this thread.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
}

/** Rejects if the thread fails or ends first. Removes its listeners, because a thread answers for weeks. */
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
