/** The network of nsfwjs and its weights, read from its npm package; nothing is downloaded. */
import { createHash } from 'node:crypto';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import { type KerasLayer, readWeights, type WeightSpec } from './keras-model.ts';
import { networkSteps, type Step } from './network-steps.ts';

/** The maximum of a pixel's colour; the network was trained with numbers from 0 to 1. */
const pixelRange = 255;

type KerasModel = { readonly model_config: { readonly config: { readonly layers: KerasLayer[] } } };

export type NsfwjsModel = {
  readonly steps: readonly Step[];
  readonly inputName: string;
  /** A digest of topology and weights: after an upgrade of the package, pictures are judged again automatically. */
  readonly version: string;
};

export async function readNsfwjsModel(): Promise<NsfwjsModel> {
  const { default: modelJson } = await MobileNetV2Model.modelJson();
  const shards = await Promise.all(MobileNetV2Model.weightBundles.map((shard) => shard()));
  const bytes = Buffer.concat(shards.map((shard) => Buffer.from(shard.default, 'base64')));
  const { model_config: keras } = modelJson.modelTopology as KerasModel;
  const { layers } = keras.config;
  const specs = modelJson.weightsManifest.flatMap((group) => group.weights) as WeightSpec[];
  const digest = createHash('sha256').update(JSON.stringify(modelJson)).update(bytes).digest('hex');
  return {
    steps: shared(networkSteps(layers, readWeights(specs, bytes), pixelRange)),
    inputName: layers[0]?.name ?? '',
    version: digest.slice(0, 16),
  };
}

/** The same steps with their numbers in shared memory: nine megabytes once instead of once per thread. */
function shared(steps: readonly Step[]): readonly Step[] {
  const numbers = steps.flatMap(numbersOf);
  const memory = new SharedArrayBuffer(numbers.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  const share = (values: Float32Array) => {
    const copy = new Float32Array(memory, at, values.length);
    copy.set(values);
    at += values.byteLength;
    return copy;
  };
  return steps.map((step) => {
    switch (step.kind) {
      case 'convolve':
      case 'convolve-depthwise':
        return {
          ...step,
          filter: { ...step.filter, values: share(step.filter.values) },
          bias: share(step.bias),
        };
      case 'dense':
        return {
          ...step,
          weights: { ...step.weights, values: share(step.weights.values) },
          bias: share(step.bias),
        };
      case 'add':
      case 'average':
        return step;
    }
  });
}

function numbersOf(step: Step): readonly Float32Array[] {
  if ('filter' in step) return [step.filter.values, step.bias];
  return 'weights' in step ? [step.weights.values, step.bias] : [];
}
