/**
 * A separate thread for the model, so that its computation does not delay health checks and other uploads, and a crash of the WASM backend
 * costs only one picture.
 */
import { parentPort, workerData } from 'node:worker_threads';
// Only the needed parts of TensorFlow.js: the whole, which `nsfwjs/core` imports, takes far more memory in each thread.
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { lookSide } from '../domain/looks.ts';
import type { ScoreReply, ScoreRequest } from './model-thread.ts';
import { createNetwork } from './network.ts';
import type { NsfwjsModel } from './nsfwjs-model.ts';

// One thread per model; the service runs as many models as it may use cores.
tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');

const { steps, inputName } = workerData as NsfwjsModel;
const network = createNetwork(steps, inputName, lookSide);
// The first run compiles the network, so it is done before a picture waits for it.
await network.outputs(new Uint8Array(lookSide * lookSide * 3));

async function answer({ looks }: ScoreRequest): Promise<void> {
  const outputs: (readonly number[])[] = [];
  for (const look of looks) outputs.push(await network.outputs(look));
  parentPort?.postMessage({ outputs } satisfies ScoreReply);
}
// A failure rejects without a handler, which ends the thread: it is replaced, and the picture gets a 503.
parentPort?.on('message', (request: ScoreRequest) => void answer(request));
parentPort?.postMessage('ready');
