/**
 * A thread of its own for the model, so that 50 ms of arithmetic never hold up health checks and other uploads, and a
 * crash of the WASM backend costs one picture. The model and its weights come from the package; nothing is downloaded.
 */
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
// The parts of TensorFlow.js that are needed: the whole, which `nsfwjs/core` imports, takes 60 MB more in each thread.
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, loadLayersModel } from '@tensorflow/tfjs-layers';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import type { ModelIdentity, ScoreReply, ScoreRequest } from './model-thread.ts';

/** Pixels of the square that the network was trained on. */
const side = 224;

const { model, identity } = await loadModel();
// The first run compiles; better now than while an advertiser waits.
await scoresOf(model, new Uint8Array(side * side * 3));

// A failure rejects without anybody to catch it, which ends the thread: it is replaced, and the picture gets its 503.
parentPort?.on('message', (request: ScoreRequest) => void answer(request));
parentPort?.postMessage(identity);

async function answer({ looks }: ScoreRequest): Promise<void> {
  const scores: number[][] = [];
  for (const look of looks) scores.push(await scoresOf(model, look));
  parentPort?.postMessage({ scores } satisfies ScoreReply);
}

async function loadModel(): Promise<{ model: LayersModel; identity: ModelIdentity }> {
  // One thread a model; the service runs as many models as it wants cores busy.
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');
  const { default: modelJson } = await MobileNetV2Model.modelJson();
  const shards = await Promise.all(MobileNetV2Model.weightBundles.map((shard) => shard()));
  const weights = Buffer.concat(shards.map((shard) => Buffer.from(shard.default, 'base64')));
  const loaded = await loadLayersModel({
    load: async () => ({
      modelTopology: modelJson.modelTopology,
      weightSpecs: modelJson.weightsManifest.flatMap((group) => group.weights),
      weightData: new Uint8Array(weights).buffer,
    }),
  });
  const digest = createHash('sha256').update(JSON.stringify(modelJson)).update(weights).digest('hex');
  return { model: loaded, identity: { name: 'nsfwjs-mobilenet-v2', version: digest.slice(0, 16) } };
}

async function scoresOf(network: LayersModel, look: Uint8Array): Promise<number[]> {
  const output = tf.tidy(() => {
    const pixels = tf.cast(tf.tensor4d(look, [1, side, side, 3], 'int32'), 'float32');
    return network.predict(tf.div(pixels, 255)) as tf.Tensor;
  });
  try {
    return [...(await output.data())];
  } finally {
    output.dispose();
  }
}
