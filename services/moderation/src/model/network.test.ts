import { beforeAll, describe, expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { loadLayersModel } from '@tensorflow/tfjs-layers';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import { lookSide } from '../domain/looks.ts';
import { cleanPicture, looksAt } from '../pictures/pictures.ts';
import type { KerasLayer } from './keras-model.ts';
import { createNetwork } from './network.ts';
import { networkSteps } from './network-steps.ts';
import { readNsfwjsModel } from './nsfwjs-model.ts';

beforeAll(async () => {
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  await tf.setBackend('wasm');
});

async function look(upload: Buffer): Promise<Uint8Array> {
  const clean = await cleanPicture(upload, 60_000);
  if (!clean.ok) throw new Error(clean.problem);
  return (await looksAt(clean.picture))[0] ?? new Uint8Array();
}

/** The model run by the package itself. */
async function asTrained(pixels: Uint8Array): Promise<readonly number[]> {
  const { default: json } = await MobileNetV2Model.modelJson();
  const shards = await Promise.all(MobileNetV2Model.weightBundles.map((shard) => shard()));
  const bytes = Buffer.concat(shards.map((shard) => Buffer.from(shard.default, 'base64')));
  const model = await loadLayersModel({
    load: async () => ({
      modelTopology: json.modelTopology,
      weightSpecs: json.weightsManifest.flatMap((group) => group.weights),
      weightData: new Uint8Array(bytes).buffer,
    }),
  });
  const input = tf.div(tf.tensor4d(Float32Array.from(pixels), [1, lookSide, lookSide, 3]), 255);
  return [...(await (model.predict(input) as tf.Tensor).data())];
}

describe('the network in fewer steps', () => {
  it('sees what the network sees as it was trained', async () => {
    const { steps, inputName } = await readNsfwjsModel();
    const network = createNetwork(steps, inputName, lookSide);
    for (const picture of [await photographLikeJpeg(), await unsafeLookingPng()]) {
      const pixels = await look(picture);
      const [ours, theirs] = [await network.outputs(pixels), await asTrained(pixels)];
      for (const [index, output] of theirs.entries()) expect(ours[index]).toBeCloseTo(output, 3);
    }
  });

  it('keeps nothing of a look when it has answered', async () => {
    const { steps, inputName } = await readNsfwjsModel();
    const network = createNetwork(steps, inputName, lookSide);
    const before = tf.memory().numTensors;
    await network.outputs(new Uint8Array(lookSide * lookSide * 3));
    expect(tf.memory().numTensors).toBe(before);
  });

  it('is not made of a model that it does not know all of', () => {
    const layer: KerasLayer = { class_name: 'LSTM', name: 'memory', config: {}, inbound_nodes: [] };
    expect(() => networkSteps([layer], new Map(), 1)).toThrow('unknown kind: LSTM');
  });
});
