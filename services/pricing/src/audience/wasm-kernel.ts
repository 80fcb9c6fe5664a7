/** The kernel in WebAssembly: its source is in `kernel/`, and `npm run build:kernel` makes the module from it. */
import { readFileSync } from 'node:fs';
import { fromMicrodegrees, isWithin, toMicrodegrees } from '../domain/great-circle.ts';
import { radiusRadians, type Target } from '../domain/target.ts';
import { type Heap, type Memory, MOST_BYTES } from './heap.ts';
import type { Kernel } from './kernel.ts';
import { state } from './layout.ts';
import type { Query } from './query.ts';

const PAGE = 2 ** 16;
/** What the error of single precision, below 4 millionths of the squared chord, has as room. */
const GUARD = 1e-5;
const RADIANS = Math.PI / 180;

/** Where the query lies, in words (kernel/layout.ts). */
const query = {
  root: 0,
  latitude: 1,
  longitude: 2,
  latitudeRest: 3,
  longitudeRest: 4,
  radius: 5,
  cosine: 6,
  sine: 7,
  surelyInside: 8,
  surelyOutside: 9,
  nearLatitude: 10,
  nearLongitude: 11,
  genderCount: 12,
  interestCount: 13,
  genders: 16,
  interests: 64,
} as const;

const bytes = readFileSync(new URL('../../kernel/audience-kernel.wasm', import.meta.url));
const { abs, asin, cos, floor, min, sin } = Math;

let compiled: WebAssembly.Module | undefined;

export function wasmIsSupported(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(bytes);
}

export function openWasmKernel(): Kernel {
  compiled ??= new WebAssembly.Module(bytes);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: floor(MOST_BYTES / PAGE) });
  let target: Target | undefined;
  const rule = {
    isWithin: (latitude: number, longitude: number) =>
      target !== undefined &&
      isWithin(target, { latitude: fromMicrodegrees(latitude), longitude: fromMicrodegrees(longitude) }),
  };
  const instance = new WebAssembly.Instance(compiled, { env: { memory }, rule });
  const count = instance.exports['count'] as () => number;
  let floats = new Float32Array(memory.buffer, 0, query.interests);
  return {
    memory: growing(memory),
    count: (heap, asked) => {
      if (floats.length === 0) floats = new Float32Array(memory.buffer, 0, query.interests);
      target = asked.target;
      writeQuery(heap, floats, asked);
      return count() >>> 0;
    },
  };
}

function growing(memory: WebAssembly.Memory): Memory {
  return {
    buffer: () => memory.buffer,
    growTo: (bytes) => {
      try {
        memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE));
        return true;
      } catch {
        return false;
      }
    },
  };
}

function writeQuery({ u32, i32 }: Heap, floats: Float32Array, { target, genders, interests }: Query): void {
  const radius = radiusRadians(target.radiusMiles);
  const latitude = toMicrodegrees(target.latitude);
  const longitude = toMicrodegrees(target.longitude);
  const chord = radius >= Math.PI ? Infinity : (2 * sin(radius / 2)) ** 2;
  const [cosine, sine] = [cos(target.latitude * RADIANS), sin(target.latitude * RADIANS)];
  const near = nearness(radius, cosine, sine);
  u32[query.root] = u32[state.root] as number;
  i32[query.latitude] = latitude;
  i32[query.longitude] = longitude;
  floats[query.latitudeRest] = (target.latitude - fromMicrodegrees(latitude)) * RADIANS;
  floats[query.longitudeRest] = (target.longitude - fromMicrodegrees(longitude)) * RADIANS;
  floats[query.radius] = min(radius, Math.PI);
  floats[query.cosine] = cosine;
  floats[query.sine] = sine;
  floats[query.surelyInside] = chord * (1 - GUARD);
  floats[query.surelyOutside] = chord * (1 + GUARD);
  i32[query.nearLatitude] = near.latitude;
  i32[query.nearLongitude] = near.longitude;
  u32[query.genderCount] = genders.length;
  u32[query.interestCount] = interests.length;
  u32.set(genders, query.genders);
  u32.set(interests, query.interests);
}

/**
 * How far from the centre, in microdegrees, the kernel's formula in single precision holds; nowhere (-1) for circles that
 * are smaller than metres, larger than 39 miles, or so close to a pole that they span more than a tenth of a radian.
 */
function nearness(radius: number, cosine: number, sine: number): { latitude: number; longitude: number } {
  const isFlat = radius > 1e-6 && radius < 0.01 && sin(radius) < cosine && asin(sin(radius) / cosine) < 0.1;
  if (!isFlat) return { latitude: -1, longitude: -1 };
  const microdegrees = (angle: number) => floor((angle / RADIANS) * 1e6);
  // Farther north, the formula's shrinking of longitudes would turn negative.
  return {
    latitude: microdegrees(min(0.3, (0.5 * cosine) / abs(sine))),
    longitude: microdegrees(0.3),
  };
}
