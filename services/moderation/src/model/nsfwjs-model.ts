/**
 * The MobileNetV2 of nsfwjs, run by ONNX Runtime: its native library, or WebAssembly on platforms that have no such library. A look takes
 * milliseconds, so it is scored on the main thread; other work goes on between two looks.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type * as onnxRuntime from 'onnxruntime-node';
import type { Scores } from '../domain/decision.ts';
import { lookSide } from '../domain/looks.ts';
import { nsfwjsScores } from '../domain/nsfwjs-scores.ts';
import { millisecondsOf, shareProcessorTime } from '../pictures/processor-time.ts';
import type { Model } from './model.ts';

/** Made by `model/convert-nsfwjs.ts`. */
const modelFile = new URL('../../model/nsfwjs-mobilenet-v2.onnx', import.meta.url);

type Runtime = Pick<typeof onnxRuntime, 'InferenceSession' | 'Tensor'>;
export type RuntimeName = 'native' | 'WebAssembly';

/** In the order in which they are tried. */
const runtimes: Readonly<Record<RuntimeName, () => Promise<Runtime>>> = {
  native: () => import('onnxruntime-node'),
  WebAssembly: async () => {
    const runtime = await import('onnxruntime-web');
    // Further threads would only take memory: pictures are scored one after the other.
    runtime.env.wasm.numThreads = 1;
    return runtime;
  },
};

/** Rejects if no runtime can run the model. */
export async function openNsfwjsModel(o: {
  readonly logger: Logger;
  /** For tests. */
  readonly runtimes?: Readonly<Record<RuntimeName, () => Promise<Runtime>>>;
}): Promise<Model> {
  const bytes = await readFile(modelFile);
  const { name, Tensor, session } = await openSession(bytes, o.runtimes ?? runtimes, o.logger);
  o.logger.info({ runtime: name }, 'the model is loaded');
  const processorTime = shareProcessorTime(() => millisecondsOf(process.threadCpuUsage()));

  async function scoreOf(look: Uint8Array): Promise<Scores> {
    const pixels = new Tensor('uint8', look, [1, lookSide, lookSide, 3]);
    const { scores } = (await session.run({ pixels })) as { scores: onnxRuntime.Tensor };
    return nsfwjsScores([...(scores.data as Float32Array)]);
  }

  async function scoresOf(looks: readonly Uint8Array[], signal: AbortSignal): Promise<readonly Scores[]> {
    const scores: Scores[] = [];
    for (const look of looks) {
      if (signal.aborted && isCallerGone(signal.reason)) throw signal.reason;
      if (signal.aborted) throw serviceUnavailable('no scores within the time', signal.reason);
      scores.push(
        await scoreOf(look).catch((error: unknown) => {
          throw serviceUnavailable('the model failed on a picture', error);
        }),
      );
    }
    return scores;
  }

  return {
    // After a change of the model, pictures are judged again automatically.
    identity: {
      name: 'nsfwjs-mobilenet-v2',
      version: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    },
    ready: () => true,
    score: async (looks, signal, countProcessorTime) => {
      const end = processorTime();
      try {
        return await scoresOf(looks, signal);
      } finally {
        countProcessorTime?.(end());
      }
    },
    [Symbol.asyncDispose]: () => session.release(),
  };
}

async function openSession(
  model: Uint8Array,
  loaders: Readonly<Record<RuntimeName, () => Promise<Runtime>>>,
  logger: Logger,
): Promise<Runtime & { readonly name: RuntimeName; readonly session: onnxRuntime.InferenceSession }> {
  try {
    return { name: 'native', ...(await openWith(loaders.native, model)) };
  } catch (error) {
    logger.warn(
      { error },
      'the native library of the model cannot be loaded; WebAssembly takes five times the time',
    );
    return { name: 'WebAssembly', ...(await openWith(loaders.WebAssembly, model)) };
  }
}

async function openWith(load: () => Promise<Runtime>, model: Uint8Array) {
  const { InferenceSession, Tensor } = await load();
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, executionMode: 'sequential' });
  return { InferenceSession, Tensor, session };
}
