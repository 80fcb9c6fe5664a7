/**
 * A thread of its own for the model, so that its arithmetic never holds up health checks and other uploads, and a crash
 * of the WASM backend costs one picture.
 */
import { parentPort, workerData } from 'node:worker_threads';
// The parts of TensorFlow.js that are needed: the whole, which `nsfwjs/core` imports, takes far more in each thread.
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { lookSide } from './domain/looks.ts';
import type { ScoreReply, ScoreRequest } from './model-thread.ts';
import { createNetwork } from './network.ts';
import type { NsfwjsModel } from './nsfwjs-model.ts';

// One thread a model; the service runs as many models as it wants cores busy.
tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');
const { steps, inputName } = workerData as NsfwjsModel;
const network = createNetwork(steps, inputName, lookSide);
// The first run compiles; better now than while an advertiser waits.
await network.outputs(new Uint8Array(lookSide * lookSide * 3));

// A failure rejects without anybody to catch it, which ends the thread: it is replaced, and the picture gets its 503.
parentPort?.on('message', (request: ScoreRequest) => void answer(request));
parentPort?.postMessage('ready');

async function answer({ looks }: ScoreRequest): Promise<void> {
  const outputs: (readonly number[])[] = [];
  for (const look of looks) outputs.push(await network.outputs(look));
  parentPort?.postMessage({ outputs } satisfies ScoreReply);
}
