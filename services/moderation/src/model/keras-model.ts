/** The parts of TensorFlow.js's Keras format that this network uses. */

export type Values = { readonly shape: readonly number[]; readonly values: Float32Array };

export type KerasLayer = {
  readonly class_name: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inbound_nodes: readonly (readonly (readonly [from: string, ...unknown[]])[])[];
};
export type WeightSpec = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly quantization?: { readonly min?: number; readonly scale: number; readonly dtype: string };
};

/** The weights by name, converted from one byte each. */
export function readWeights(specs: readonly WeightSpec[], bytes: Uint8Array): ReadonlyMap<string, Values> {
  const weights = new Map<string, Values>();
  let at = 0;
  for (const { name, shape, quantization } of specs) {
    if (quantization?.dtype !== 'uint8') throw new Error(`the weights ${name} are not stored as bytes`);
    const { scale, min = 0 } = quantization;
    const length = shape.reduce((product, side) => product * side, 1);
    const values = new Float32Array(bytes.subarray(at, at + length));
    for (const index of values.keys()) values[index] = (values[index] ?? 0) * scale + min;
    weights.set(name, { shape, values });
    at += length;
  }
  if (at !== bytes.length) throw new Error(`${at} weights are named, ${bytes.length} are there`);
  return weights;
}
