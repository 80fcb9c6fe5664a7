/** The kernel in WebAssembly. Its source is in `kernel/`; `npm run build:kernel` compiles it. */
import { readFileSync } from 'node:fs';
import { fromMicrodegrees, isWithin, toMicrodegrees } from '../../domain/great-circle.ts';
import { radiusRadians, type Target } from '../../domain/target.ts';
import { type Heap, type Memory, MOST_BYTES } from '../memory/heap.ts';
import { state } from '../memory/layout.ts';
import type { Query } from '../query.ts';
import type { Kernel } from './kernel.ts';

const PAGE = 2 ** 16;
const MICRODEGREE = Math.PI / 180e6;
/** The error of the kernel's single precision is below a millionth of a squared chord (the ADR derives it). */
const ROUNDING = 4e-6;
/** The error of a number near 1 in single precision. */
const SINGLE = 1e-6;

/** The offsets of the query in memory, in words (kernel/layout.ts). */
export const query = {
  root: 0,
  latitude: 1,
  longitude: 2,
  latitudeRest: 3,
  longitudeRest: 4,
  radius: 5,
  cosine: 6,
  leastCosine: 7,
  sine: 8,
  northern: 9,
  wraps: 10,
  beyond: 11,
  surelyInside: 12,
  surelyOutside: 13,
  nearLatitude: 14,
  nearLongitude: 15,
  shrink: 16,
  shrinkByLatitude: 17,
  memberInside: 18,
  memberOutside: 19,
  genderCount: 20,
  interestCount: 21,
  genders: 32,
  interests: 64,
} as const;

const bytes = readFileSync(new URL('../../../kernel/audience-kernel.wasm', import.meta.url));
const { abs, asin, ceil, cos, floor, max, min, sin } = Math;

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
    name: 'wasm',
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
        memory.grow(ceil((bytes - memory.buffer.byteLength) / PAGE));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Angles are in microdegrees here, like positions, and chords are squared. */
function writeQuery({ u32, i32 }: Heap, floats: Float32Array, { target, genders, interests }: Query): void {
  const latitude = toMicrodegrees(target.latitude);
  const longitude = toMicrodegrees(target.longitude);
  const cosine = max(0, cos(target.latitude * 1e6 * MICRODEGREE));
  const sine = sin(target.latitude * 1e6 * MICRODEGREE);
  const radius = radiusRadians(target.radiusMiles);
  const span = spanOf(radius, cosine);
  const chord = radius >= Math.PI ? Infinity : (2 * sin(radius / 2)) / MICRODEGREE;

  u32[query.root] = u32[state.root] as number;
  i32[query.latitude] = latitude;
  i32[query.longitude] = longitude;
  floats[query.latitudeRest] = target.latitude * 1e6 - latitude;
  floats[query.longitudeRest] = target.longitude * 1e6 - longitude;
  u32[query.genderCount] = genders.length;
  u32[query.interestCount] = interests.length;
  u32.set(genders, query.genders);
  u32.set(interests, query.interests);

  // For boxes. cos(c + a) >= cos c - a sin c - a²/2 (1 + a/3); places beyond the radius do not matter.
  floats[query.radius] = radius / MICRODEGREE;
  floats[query.cosine] = cosine;
  floats[query.leastCosine] = cosine - ((radius * radius) / 2) * (1 + radius / 3) - SINGLE;
  floats[query.sine] = abs(sine) * MICRODEGREE;
  u32[query.northern] = sine >= 0 ? 0xffffffff : 0;
  u32[query.wraps] = abs(longitude) * MICRODEGREE + span >= Math.PI ? 1 : 0;
  // Up to this angle, a chord is not much shorter than the angle; larger angles need no distinction.
  const beyond = min(Math.PI, max(4 * radius, 2 * span));
  i32[query.beyond] = floor(beyond / MICRODEGREE);
  const shortened = ((2 * sin(beyond / 2)) / beyond) ** 2;
  floats[query.surelyOutside] = ((chord + 1) ** 2 / shortened) * (1 + ROUNDING);
  floats[query.surelyInside] = chord > 1 ? (chord - 1) ** 2 * (1 - ROUNDING) : 0;

  // For single members.
  const near = nearness(radius, span, cosine, sine);
  i32[query.nearLatitude] = near.latitude;
  i32[query.nearLongitude] = near.longitude;
  floats[query.shrink] = cosine * cosine;
  floats[query.shrinkByLatitude] = -cosine * sine * MICRODEGREE;
  floats[query.memberInside] = chord * chord * (1 - ROUNDING);
  const leftOut = radius * radius * (1 / 8 + 1 / (12 * cosine * cosine));
  floats[query.memberOutside] = chord * chord * (1 + ROUNDING + 1.1 * leftOut);
}

/** The extent to the east and west of the centre; half the earth if a pole is inside. */
function spanOf(radius: number, cosine: number): number {
  return radius < Math.PI / 2 && sin(radius) < cosine ? asin(sin(radius) / cosine) : Math.PI;
}

/**
 * How far from the centre, in microdegrees, the kernel's formula for members is valid. -1 (nowhere) for circles smaller than metres, larger
 * than 39 miles, or so close to a pole that they span more than a tenth of a radian.
 */
function nearness(
  radius: number,
  span: number,
  cosine: number,
  sine: number,
): { latitude: number; longitude: number } {
  if (!(radius > 1e-6 && radius < 0.01 && span < 0.1)) return { latitude: -1, longitude: -1 };
  return {
    // Farther towards the pole, the factor for longitudes would become negative.
    latitude: floor(min(0.3, (0.5 * cosine) / abs(sine)) / MICRODEGREE),
    longitude: floor(0.3 / MICRODEGREE),
  };
}
