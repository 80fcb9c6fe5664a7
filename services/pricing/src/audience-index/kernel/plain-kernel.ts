/**
 * The kernel in plain TypeScript. It is the reference for the WebAssembly kernel, and counts where WebAssembly is missing. It shares
 * neither its formulas nor its approximations: it uses trigonometry in double precision, and the exact rule for every member near the edge.
 */
import { fromMicrodegrees, isWithin } from '@offer-ads/contracts/audience/great-circle';
import { radiusRadians, type Target } from '@offer-ads/contracts/audience/target';
import { slotsOf } from '../memory/columns.ts';
import { type Heap, MAX_BYTES, type Memory, read, readSigned } from '../memory/heap.ts';
import {
  asked,
  BLOCKS,
  CHILDREN,
  GENDERS,
  node,
  SLOTS_OF_BLOCK,
  state,
  superblock,
} from '../memory/layout.ts';
import { type Box, readBox } from '../tree/boxes.ts';
import { childAt, childrenOf, levelOf } from '../tree/nodes.ts';
import { takenSlots } from '../tree/superblock.ts';
import type { Kernel } from './kernel.ts';

const RADIANS = Math.PI / 180;
/** Far more than the error of double precision, far less than a millimetre. */
const GUARD = 1e-9;
const { abs, cos, floor, max, min, sin } = Math;

export function openPlainKernel(): Kernel {
  return {
    name: 'plain',
    memory: plainMemory(),
    count: (heap, target) =>
      countNode(heap, circleOf(target), queryFor(heap, target), read(heap, state.root), false),
  };
}

function plainMemory(): Memory {
  const buffer = new ArrayBuffer(2 ** 16, { maxByteLength: MAX_BYTES });
  return {
    buffer: () => buffer,
    growTo: (bytes) => {
      try {
        buffer.resize(bytes);
        return true;
      } catch {
        return false;
      }
    },
  };
}

type Query = {
  readonly target: Target;
  /** Columns; empty: no filter. */
  readonly genders: readonly number[];
  readonly interests: readonly number[];
};

function queryFor(heap: Heap, target: Target): Query {
  const columns = (list: number, count: number) => [...heap.u32.subarray(list, list + read(heap, count))];
  return {
    target,
    genders: columns(asked.genders, asked.genderCount),
    interests: columns(asked.interests, asked.interestCount),
  };
}

type Circle = { latitude: number; longitude: number; cosine: number; haversine: number };

function circleOf(target: Target): Circle {
  const radius = radiusRadians(target.radiusMiles);
  return {
    latitude: target.latitude * 1e6,
    longitude: target.longitude * 1e6,
    cosine: cos(target.latitude * RADIANS),
    haversine: radius >= Math.PI ? Infinity : sin(radius / 2) ** 2,
  };
}

function countNode(heap: Heap, circle: Circle, query: Query, at: number, isInside: boolean): number {
  let total = 0;
  for (let place = 0; place < childrenOf(heap, at); place += 1) {
    const where = isInside ? 'inside' : locate(circle, readBox(heap, at + node.boxes, place));
    if (where === 'outside') continue;
    const child = childAt(heap, at, place);
    if (where === 'inside' && query.interests.length === 0) {
      total += countGenders(heap, at, place, query);
    } else if (levelOf(heap, at) === 1) {
      total += countSuperblock(heap, circle, query, child, where === 'inside');
    } else {
      total += countNode(heap, circle, query, child, where === 'inside');
    }
  }
  return total;
}

function countGenders(heap: Heap, at: number, place: number, { genders }: Query): number {
  let total = 0;
  for (let gender = 0; gender < GENDERS; gender += 1) {
    if (genders.length > 0 && !genders.includes(gender)) continue;
    total += read(heap, at + node.genders + gender * CHILDREN + place);
  }
  return total;
}

function countSuperblock(
  heap: Heap,
  circle: Circle,
  query: Query,
  address: number,
  isInside: boolean,
): number {
  const matching = selected(heap, query, address);
  if (isInside) return matching.length;
  const blocks = Array.from({ length: BLOCKS }, (_, block) =>
    locate(circle, readBox(heap, address + superblock.boxes, block)),
  );
  return matching.filter((slot) => {
    const where = blocks[floor(slot / SLOTS_OF_BLOCK)];
    if (where !== 'edge') return where === 'inside';
    return isWithin(query.target, {
      latitude: fromMicrodegrees(readSigned(heap, address + superblock.latitudes + slot)),
      longitude: fromMicrodegrees(readSigned(heap, address + superblock.longitudes + slot)),
    });
  }).length;
}

/** The slots of members with matching gender and interests. */
function selected(heap: Heap, { genders, interests }: Query, address: number): readonly number[] {
  const columns = read(heap, address + superblock.columns);
  const anyOf = (wanted: readonly number[]) =>
    new Set(wanted.flatMap((column) => slotsOf(heap, columns, column)));
  if (genders.length === 0 && interests.length === 0) return takenSlots(heap, address);
  if (interests.length === 0) return [...anyOf(genders)];
  if (genders.length === 0) return [...anyOf(interests)];
  const ofGender = anyOf(genders);
  return [...anyOf(interests)].filter((slot) => ofGender.has(slot));
}

/** Uses the smallest and the largest haversine that any position in the box can have. */
function locate(circle: Circle, box: Box): 'inside' | 'outside' | 'edge' {
  const south = box.lowLatitude - circle.latitude;
  const north = box.highLatitude - circle.latitude;
  const west = box.lowLongitude - circle.longitude;
  const east = box.highLongitude - circle.longitude;
  const cosines = [cos(box.lowLatitude * 1e-6 * RADIANS), cos(box.highLatitude * 1e-6 * RADIANS)] as const;
  const widest = box.lowLatitude <= 0 && box.highLatitude >= 0 ? 1 : max(...cosines);
  const nearY = west <= 0 && east >= 0 ? 0 : min(aroundTheEarth(west), aroundTheEarth(east));
  const isBehind = (west <= -180e6 && east >= -180e6) || (west <= 180e6 && east >= 180e6);
  const farY = isBehind ? 180e6 : max(aroundTheEarth(west), aroundTheEarth(east));
  const least = haversine(max(0, south, -north)) + circle.cosine * max(0, min(...cosines)) * haversine(nearY);
  const most = haversine(max(-south, north)) + circle.cosine * widest * haversine(farY);
  if (least > circle.haversine * (1 + GUARD)) return 'outside';
  return most < circle.haversine * (1 - GUARD) ? 'inside' : 'edge';
}

function haversine(microdegrees: number): number {
  return sin((microdegrees * 1e-6 * RADIANS) / 2) ** 2;
}

function aroundTheEarth(difference: number): number {
  return min(abs(difference), 360e6 - abs(difference));
}
