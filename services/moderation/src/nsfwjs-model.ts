/** The network of nsfwjs and its weights, out of its package; nothing is downloaded. */
import { createHash } from 'node:crypto';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import { type KerasLayer, networkSteps, readWeights, type Step, type WeightSpec } from './network-steps.ts';

/** Pixels of the square that the network was trained on. */
export const lookSide = 224;
/** Of a colour of a pixel; the network was trained on numbers from 0 to 1. */
const pixelRange = 255;

type KerasModel = { readonly model_config: { readonly config: { readonly layers: KerasLayer[] } } };

export type NsfwjsModel = {
  readonly steps: readonly Step[];
  readonly inputName: string;
  /** A digest of topology and weights: an upgraded package judges anew without anybody remembering to. */
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
    steps: networkSteps(layers, readWeights(specs, bytes), pixelRange),
    inputName: layers[0]?.name ?? '',
    version: digest.slice(0, 16),
  };
}
