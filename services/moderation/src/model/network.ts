/** Runs the network on the chosen backend of TensorFlow.js. */
import * as tf from '@tensorflow/tfjs-core';
import type { Values } from './keras-model.ts';
import type { Step } from './network-steps.ts';

export type Network = {
  /** @param pixels RGB, one number from 0 to 255 per colour */
  readonly outputs: (pixels: Uint8Array) => Promise<readonly number[]>;
};

type Run = (inputs: readonly tf.Tensor[]) => tf.Tensor;

/** @param side the side of the square that the network looks at */
export function createNetwork(steps: readonly Step[], inputName: string, side: number): Network {
  const runs = steps.map((step) => ({ ...step, run: prepare(step) }));
  const lastUse = new Map(runs.flatMap(({ from }, index) => from.map((name) => [name, index])));
  const result = steps.at(-1)?.to ?? '';

  return {
    outputs: async (pixels) => {
      const values = new Map<string, tf.Tensor>([
        [inputName, tf.tensor4d(Float32Array.from(pixels), [1, side, side, 3])],
      ]);
      for (const [index, { from, to, run }] of runs.entries()) {
        const inputs = from.map((name) => values.get(name) as tf.Tensor);
        values.set(
          to,
          tf.tidy(() => run(inputs)),
        );
        // Disposed as soon as possible: all results together take several times the memory of the largest.
        for (const name of from) if (lastUse.get(name) === index) values.get(name)?.dispose();
      }
      const output = values.get(result) as tf.Tensor;
      try {
        return [...(await output.data())];
      } finally {
        output.dispose();
      }
    },
  };
}

function prepare(step: Step): Run {
  switch (step.kind) {
    case 'convolve':
    case 'convolve-depthwise': {
      const convolve = step.kind === 'convolve' ? tf.fused.conv2d : tf.fused.depthwiseConv2d;
      const { padding } = step;
      const fixed = {
        filter: tensor(step.filter) as tf.Tensor4D,
        bias: tf.tensor1d(step.bias),
        strides: [...step.strides] as [number, number],
        // The kernels accept explicit paddings, but the type declarations do not include them.
        pad: (typeof padding === 'string' ? padding : explicit(padding)) as 'same',
        activation: step.activation,
      };
      return ([x]) => convolve({ ...fixed, x: x as tf.Tensor4D });
    }
    case 'add':
      return ([one, other]) => tf.add(one as tf.Tensor, other as tf.Tensor);
    case 'average':
      return ([x]) => tf.avgPool(x as tf.Tensor4D, [...step.size] as [number, number], 1, 'valid');
    case 'dense': {
      const b = tensor(step.weights) as tf.Tensor2D;
      const bias = tf.tensor1d(step.bias);
      const activation = step.activation === 'relu' ? 'relu' : 'linear';
      return ([x]) => {
        const a = tf.reshape(x as tf.Tensor, [1, -1]);
        const product = tf.fused.matMul({ a, b, bias, activation });
        return step.activation === 'softmax' ? tf.softmax(product) : product;
      };
    }
  }
}

function tensor({ shape, values }: Values): tf.Tensor {
  return tf.tensor(values, [...shape]);
}

function explicit([rows, columns]: readonly [readonly [number, number], readonly [number, number]]) {
  return [[0, 0], [...rows], [...columns], [0, 0]] as [
    [number, number],
    [number, number],
    [number, number],
    [number, number],
  ];
}
