/**
 * nsfwjs' MobileNetV2 with a third of the steps. In the trained network, every convolution is followed by a normalisation and a limit, each
 * of which reads and writes all numbers again. Here the normalisation is multiplied into the weights, and padding and limit are part of the
 * convolution. The results differ only by rounding.
 */
import type { KerasLayer, Values } from './keras-model.ts';

type Padding =
  | 'same'
  | 'valid'
  | readonly [rows: readonly [number, number], columns: readonly [number, number]];

/** The names of the inputs and of the result. */
type Wiring = { readonly from: readonly string[]; readonly to: string };
type Convolution = Wiring & {
  readonly kind: 'convolve' | 'convolve-depthwise';
  readonly filter: Values;
  readonly bias: Float32Array;
  readonly strides: readonly [number, number];
  readonly padding: Padding;
  readonly activation: 'linear' | 'relu6';
};
type Dense = Wiring & {
  readonly kind: 'dense';
  readonly weights: Values;
  readonly bias: Float32Array;
  readonly activation: 'linear' | 'relu' | 'softmax';
};
export type Step =
  | Convolution
  | Dense
  | (Wiring & { readonly kind: 'add' })
  | (Wiring & { readonly kind: 'average'; readonly size: readonly [number, number] });

type Weights = (name: string) => Values;

/** @param pixelRange the value of full brightness in the input pictures; the network was trained with 1 */
export function networkSteps(
  layers: readonly KerasLayer[],
  weights: ReadonlyMap<string, Values>,
  pixelRange: number,
): readonly Step[] {
  const steps = new Map<string, Step>();
  /** Layers that are part of an earlier step or have no effect here, mapped to the step with their result. */
  const standsFor = new Map<string, string>();
  const paddings = new Map<string, Padding>();
  const input = layers[0]?.name;
  const inputsOf = (layer: KerasLayer) => namesBefore(layer).map((name) => standsFor.get(name) ?? name);
  const weight: Weights = (name) => {
    const found = weights.get(name);
    if (found === undefined) throw new Error(`the model has no weights ${name}`);
    return found;
  };

  for (const layer of layers) {
    const from = inputsOf(layer);
    const [before = ''] = from;
    const step = steps.get(before);
    const change = (by: (convolution: Convolution) => Convolution) => {
      if (step === undefined || !('filter' in step))
        throw new Error(`${layer.name} does not follow a convolution`);
      steps.set(before, by(step));
      standsFor.set(layer.name, before);
    };
    switch (layer.class_name) {
      case 'InputLayer':
        break;
      case 'ZeroPadding2D':
        standsFor.set(layer.name, before);
        paddings.set(layer.name, layer.config.padding as Padding);
        break;
      case 'Conv2D':
      case 'DepthwiseConv2D': {
        const padding = paddings.get(namesBefore(layer)[0] ?? '');
        steps.set(
          layer.name,
          convolution(layer, { from, weight, padding, divisor: before === input ? pixelRange : 1 }),
        );
        break;
      }
      case 'BatchNormalization':
        change((before) => normalised(before, layer, weight));
        break;
      case 'ReLU':
        if (layer.config.max_value !== 6) throw new Error(`${layer.name} has another limit than 6`);
        change((before) => ({ ...before, activation: 'relu6' }));
        break;
      case 'Add':
        steps.set(layer.name, { kind: 'add', from, to: layer.name });
        break;
      case 'AveragePooling2D': {
        const size = layer.config.pool_size as [number, number];
        steps.set(layer.name, { kind: 'average', from, to: layer.name, size });
        break;
      }
      case 'Dense':
        steps.set(layer.name, {
          kind: 'dense',
          from,
          to: layer.name,
          weights: weight(`${layer.name}/kernel`),
          bias: weight(`${layer.name}/bias`).values,
          activation: layer.config.activation as 'linear' | 'relu' | 'softmax',
        });
        break;
      // Dropout is for training only; the next step does the change of shape.
      case 'Dropout':
      case 'Flatten':
        standsFor.set(layer.name, before);
        break;
      default:
        throw new Error(`the model has a layer of an unknown kind: ${layer.class_name}`);
    }
  }
  return [...steps.values()];
}

function namesBefore(layer: KerasLayer): readonly string[] {
  return (layer.inbound_nodes[0] ?? []).map(([name]) => name);
}

function convolution(
  { name, class_name, config }: KerasLayer,
  o: { from: readonly string[]; weight: Weights; padding: Padding | undefined; divisor: number },
): Convolution {
  const depthwise = class_name === 'DepthwiseConv2D';
  const { shape, values } = o.weight(`${name}/${depthwise ? 'depthwise_kernel' : 'kernel'}`);
  return {
    kind: depthwise ? 'convolve-depthwise' : 'convolve',
    from: o.from,
    to: name,
    filter: { shape, values: values.map((value) => value / o.divisor) },
    bias: new Float32Array(shape[depthwise ? 2 : 3] ?? 0),
    strides: config.strides as [number, number],
    padding: o.padding ?? (config.padding as Padding),
    activation: 'linear',
  };
}

/** (x - mean) / deviation * gamma + beta, as one factor and one summand per channel. */
function normalised(before: Convolution, { name, config }: KerasLayer, weight: Weights): Convolution {
  const part = (of: string) => weight(`${name}/${of}`).values;
  const [beta, mean, variance] = [part('beta'), part('moving_mean'), part('moving_variance')];
  const epsilon = config.epsilon as number;
  const factors = part('gamma').map(
    (gamma, channel) => gamma / Math.sqrt((variance[channel] ?? 0) + epsilon),
  );
  const { shape, values } = before.filter;
  // The last dimension of a filter counts the output channels; with one filter per channel, so does the one before.
  const filter = values.map((value, index) => value * (factors[index % factors.length] ?? 0));
  const bias = beta.map((summand, channel) => summand - (mean[channel] ?? 0) * (factors[channel] ?? 0));
  return { ...before, filter: { shape, values: filter }, bias };
}
