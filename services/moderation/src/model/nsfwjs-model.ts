/**
 * The MobileNetV2 of nsfwjs, run by ONNX Runtime's native library. A look takes milliseconds, so it is scored on the main thread; other
 * work goes on between two looks.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Scores } from '../domain/decision.ts';
import { lookSide } from '../domain/looks.ts';

/** Stored verdicts are valid only while both are the same. */
export type ModelIdentity = { readonly name: string; readonly version: string };

export type Model = AsyncDisposable & {
  readonly identity: ModelIdentity;
  /**
   * One result per look. Rejects with a 503 if there is no result, for whatever reason.
   * @param countProcessorTime called with the milliseconds of each look
   */
  readonly score: (
    looks: readonly Uint8Array[],
    signal: AbortSignal,
    countProcessorTime?: (ms: number) => void,
  ) => Promise<readonly Scores[]>;
};

/** How it was made: ADR 27. */
const modelFile = new URL('../../model/nsfwjs-mobilenet-v2.onnx', import.meta.url);

/** In the order of the outputs; each output is the network's confidence, and together they are 1. */
const classNames = ['Drawing', 'Hentai', 'Neutral', 'Porn', 'Sexy'] as const;

export async function openModel(): Promise<Model> {
  const bytes = await readFile(modelFile);
  const session = await InferenceSession.create(bytes, { intraOpNumThreads: 1, executionMode: 'sequential' });
  let last: Promise<unknown> = Promise.resolve();

  /** One look at a time, because each takes the whole thread; so its time is its own. */
  function scoreInTurn(look: Uint8Array): Promise<{ readonly scores: Scores; readonly ms: number }> {
    const turn = last.then(async () => {
      const pixels = new Tensor('uint8', look, [1, lookSide, lookSide, 3]);
      const before = process.threadCpuUsage();
      const { scores } = (await session.run({ pixels })) as { scores: Tensor };
      const { user, system } = process.threadCpuUsage(before);
      return { scores: scoresOf([...(scores.data as Float32Array)]), ms: (user + system) / 1_000 };
    });
    last = turn.catch(() => {});
    return turn;
  }

  return {
    // After a change of the model, pictures are judged again automatically.
    identity: {
      name: 'nsfwjs-mobilenet-v2',
      version: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    },
    score: async (looks, signal, countProcessorTime) => {
      const all: Scores[] = [];
      for (const look of looks) {
        if (signal.aborted && isCallerGone(signal.reason)) throw signal.reason;
        if (signal.aborted) throw serviceUnavailable('no scores within the time', signal.reason);
        const { scores, ms } = await scoreInTurn(look).catch((error: unknown) => {
          throw serviceUnavailable('the model failed on a picture', error);
        });
        countProcessorTime?.(ms);
        all.push(scores);
      }
      return all;
    },
    [Symbol.asyncDispose]: () => session.release(),
  };
}

function scoresOf(outputs: readonly number[]): Scores {
  if (outputs.length !== classNames.length) throw new Error(`the model gave ${outputs.length} numbers`);
  const labels = Object.fromEntries(classNames.map((name, index) => [name, outputs[index]])) as Record<
    (typeof classNames)[number],
    number
  >;
  // The sum, because an unsafe picture may be between two classes.
  const explicit = labels.Porn + labels.Hentai;
  return { explicit, suggestive: explicit + labels.Sexy, labels };
}
