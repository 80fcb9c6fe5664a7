/**
 * Converts the MobileNetV2 of the npm package nsfwjs from the Keras format of TensorFlow.js to ONNX: one node for each layer, the weights
 * still in one byte each. Run once; the result is committed.
 *
 *     npm pack nsfwjs@4.4.0 && tar -xf nsfwjs-4.4.0.tgz && node convert-nsfwjs.ts package
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import protobuf from 'protobufjs';

/** Of the two source files, so that only the model that was examined is converted. */
const sourceDigest = '6538192f6b4d73e4d62a4828f3836cbb7418120e3edeea38adf448e75642677c';
const side = 224;

type Layer = {
  readonly class_name: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inbound_nodes: readonly (readonly (readonly [from: string, ...unknown[]])[])[];
};
type Weight = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly quantization: { readonly min?: number; readonly scale: number; readonly dtype: string };
};
type Source = {
  readonly modelTopology: {
    readonly model_config: { readonly config: { readonly layers: readonly Layer[] } };
  };
  readonly weightsManifest: readonly { readonly weights: readonly Weight[] }[];
};
type Attribute = { readonly name: string; readonly type: number; readonly [value: string]: unknown };

/** The part of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto that is written here. */
const { root } = protobuf.parse(
  `
  syntax = "proto3";
  message AttributeProto { string name = 1; float f = 2; int64 i = 3; bytes s = 4; repeated int64 ints = 8; int32 type = 20; }
  message NodeProto { repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4; repeated AttributeProto attribute = 5; }
  message TensorProto { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message Dimension { int64 dim_value = 1; string dim_param = 2; }
  message TensorShapeProto { repeated Dimension dim = 1; }
  message TensorType { int32 elem_type = 1; TensorShapeProto shape = 2; }
  message TypeProto { TensorType tensor_type = 1; }
  message ValueInfoProto { string name = 1; TypeProto type = 2; }
  message GraphProto { repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5; repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12; }
  message OperatorSetIdProto { string domain = 1; int64 version = 2; }
  message ModelProto { int64 ir_version = 1; repeated OperatorSetIdProto opset_import = 8; string producer_name = 2; GraphProto graph = 7; }
`,
  { keepCase: true },
);
const elementTypes = { float: 1, uint8: 2, int64: 7 };

const int = (name: string, i: number): Attribute => ({ name, type: 2, i });
const ints = (name: string, values: readonly number[]): Attribute => ({ name, type: 7, ints: values });
const text = (name: string, value: string): Attribute => ({ name, type: 3, s: Buffer.from(value) });
const float = (name: string, f: number): Attribute => ({ name, type: 1, f });

function convert({ modelTopology, weightsManifest }: Source, bytes: Uint8Array): Uint8Array {
  const { layers } = modelTopology.model_config.config;
  const nodes: object[] = [];
  const initializers: object[] = [];
  const quantized = new Map<string, Weight & { readonly bytes: Uint8Array }>();
  let at = 0;
  for (const weight of weightsManifest.flatMap((group) => group.weights)) {
    if (weight.quantization.dtype !== 'uint8') throw new Error(`${weight.name} is not stored as bytes`);
    const length = weight.shape.reduce((product, size) => product * size, 1);
    quantized.set(weight.name, { ...weight, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  if (at !== bytes.length) throw new Error(`${at} weights are named, ${bytes.length} are there`);

  const add = (
    op_type: string,
    input: readonly string[],
    output: string,
    attribute: readonly Attribute[] = [],
  ) => {
    nodes.push({ op_type, input, output: [output], name: output, attribute });
    return output;
  };
  const floats = (name: string, ...values: number[]) => {
    initializers.push({
      name,
      data_type: elementTypes.float,
      dims: [],
      raw_data: Buffer.from(Float32Array.from(values).buffer),
    });
    return name;
  };
  /** The weight as floats, its dimensions in the given order. */
  const weight = (
    name: string,
    order?: readonly number[],
    dims?: (shape: readonly number[]) => readonly number[],
  ) => {
    const found = quantized.get(name);
    if (found === undefined) throw new Error(`the model has no weights ${name}`);
    const { scale, min = 0 } = found.quantization;
    const transposed = order === undefined ? found : transpose(found, order);
    const shape = dims === undefined ? transposed.shape : dims(transposed.shape);
    initializers.push({
      name: `${name}/bytes`,
      data_type: elementTypes.uint8,
      dims: shape,
      raw_data: transposed.bytes,
    });
    // Not DequantizeLinear: the runtime would repeat it in each run, instead of once when it loads the model.
    const numbers = add('Cast', [`${name}/bytes`], `${name}/numbers`, [int('to', elementTypes.float)]);
    const scaled = add('Mul', [numbers, floats(`${name}/scale`, scale)], `${name}/scaled`);
    return add('Add', [scaled, floats(`${name}/min`, min)], name);
  };

  /** The output of each layer. Dropout and padding have none of their own. */
  const outputs = new Map<string, string>();
  const paddings = new Map<string, readonly number[]>();
  for (const { class_name, name, config, inbound_nodes } of layers) {
    const before = (inbound_nodes[0] ?? []).map(([from]) => outputs.get(from) ?? from);
    const [from = ''] = before;
    const convolution = (kernel: string, group: number) => {
      const [rows = 1, columns = 1] = config.kernel_size as number[];
      const pads = paddings.get(inbound_nodes[0]?.[0]?.[0] ?? '');
      if (config.use_bias !== false) throw new Error(`${name} has a bias`);
      return add('Conv', [from, kernel], name, [
        ints('strides', config.strides as number[]),
        ints('kernel_shape', [rows, columns]),
        int('group', group),
        ...(pads === undefined
          ? [text('auto_pad', config.padding === 'same' ? 'SAME_UPPER' : 'VALID')]
          : [ints('pads', pads)]),
      ]);
    };
    switch (class_name) {
      case 'InputLayer': {
        const pixels = add('Cast', ['pixels'], 'floats', [int('to', elementTypes.float)]);
        const brightness = add('Div', [pixels, floats('brightest', 255)], 'brightness');
        outputs.set(name, add('Transpose', [brightness], name, [ints('perm', [0, 3, 1, 2])]));
        break;
      }
      case 'ZeroPadding2D': {
        const [[top, bottom], [left, right]] = config.padding as [[number, number], [number, number]];
        paddings.set(name, [top, left, bottom, right]);
        outputs.set(name, from);
        break;
      }
      case 'Conv2D':
        outputs.set(name, convolution(weight(`${name}/kernel`, [3, 2, 0, 1]), 1));
        break;
      case 'DepthwiseConv2D': {
        const kernel = weight(`${name}/depthwise_kernel`, [2, 3, 0, 1]);
        outputs.set(name, convolution(kernel, quantized.get(kernel)?.shape[2] ?? 0));
        break;
      }
      case 'BatchNormalization': {
        const parts = ['gamma', 'beta', 'moving_mean', 'moving_variance'].map((part) =>
          weight(`${name}/${part}`),
        );
        outputs.set(
          name,
          add('BatchNormalization', [from, ...parts], name, [float('epsilon', config.epsilon as number)]),
        );
        break;
      }
      case 'ReLU':
        outputs.set(
          name,
          add(
            'Clip',
            [from, floats(`${name}/least`, 0), floats(`${name}/most`, config.max_value as number)],
            name,
          ),
        );
        break;
      case 'Add':
        outputs.set(name, add('Add', before, name));
        break;
      case 'AveragePooling2D':
        outputs.set(
          name,
          add('AveragePool', [from], name, [
            ints('kernel_shape', config.pool_size as number[]),
            ints('strides', config.strides as number[]),
          ]),
        );
        break;
      case 'Flatten':
        outputs.set(name, add('Flatten', [from], name));
        break;
      case 'Dropout':
        outputs.set(name, from);
        break;
      case 'Dense': {
        const sum = add('Gemm', [from, weight(`${name}/kernel`), weight(`${name}/bias`)], `${name}/sum`);
        outputs.set(name, add(config.activation === 'relu' ? 'Relu' : 'Softmax', [sum], name));
        break;
      }
      default:
        throw new Error(`the model has a layer of an unknown kind: ${class_name}`);
    }
  }

  const value = (name: string, elem_type: number, sizes: readonly (number | string)[]) => ({
    name,
    type: {
      tensor_type: {
        elem_type,
        shape: {
          dim: sizes.map((size) => (typeof size === 'string' ? { dim_param: size } : { dim_value: size })),
        },
      },
    },
  });
  add('Identity', [outputs.get(layers.at(-1)?.name ?? '') ?? ''], 'scores');
  const Model = root.lookupType('ModelProto');
  return Model.encode(
    Model.fromObject({
      ir_version: 8,
      producer_name: 'convert-nsfwjs',
      opset_import: [{ domain: '', version: 17 }],
      graph: {
        name: 'nsfwjs-mobilenet-v2',
        node: nodes,
        initializer: initializers,
        input: [value('pixels', elementTypes.uint8, ['looks', side, side, 3])],
        output: [value('scores', elementTypes.float, ['looks', 5])],
      },
    }),
  ).finish();
}

/** TensorFlow keeps a kernel as rows, columns, inputs, outputs; ONNX as outputs, inputs, rows, columns. */
function transpose(
  { shape, bytes }: { readonly shape: readonly number[]; readonly bytes: Uint8Array },
  order: readonly number[],
) {
  const strides = shape.map((_, index) =>
    shape.slice(index + 1).reduce((product, size) => product * size, 1),
  );
  const sizes = order.map((dimension) => shape[dimension] ?? 0);
  const steps = order.map((dimension) => strides[dimension] ?? 0);
  const moved = bytes.map((_, index) => {
    let [rest, from] = [index, 0];
    for (let dimension = sizes.length - 1; dimension >= 0; dimension -= 1) {
      const size = sizes[dimension] ?? 1;
      from += (rest % size) * (steps[dimension] ?? 0);
      rest = Math.floor(rest / size);
    }
    return bytes[from] ?? 0;
  });
  return { shape: sizes, bytes: moved };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder has the unpacked package nsfwjs?');
const files = ['model.min.js', 'group1-shard1of1.min.js'].map((name) =>
  join(resolve(folder), 'dist/models/mobilenet_v2', name),
);
const digest = createHash('sha256')
  .update(Buffer.concat(files.map((file) => readFileSync(file))))
  .digest('hex');
if (digest !== sourceDigest) throw new Error(`the model of ${folder} has the digest ${digest}`);
const require = createRequire(import.meta.url);
const [model, weights] = files.map((file) => require(file) as unknown) as [Source, string];
writeFileSync(
  new URL('nsfwjs-mobilenet-v2.onnx', import.meta.url),
  convert(model, Buffer.from(weights, 'base64')),
);
