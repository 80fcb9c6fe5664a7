/**
 * Bounding boxes in microdegrees, sixteen at a time as the kernel needs them: one row each for lowest latitudes, highest latitudes, lowest
 * longitudes and highest longitudes. They are always tight: as small as their members allow.
 */
import { type Heap, readSigned } from '../memory/heap.ts';
import * as layout from '../memory/layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { BOXES, HIGH_LATITUDE, HIGH_LONGITUDE, LOW_LATITUDE, LOW_LONGITUDE, NOWHERE_HIGH, NOWHERE_LOW } =
  layout;

export type Box = {
  lowLatitude: number;
  highLatitude: number;
  lowLongitude: number;
  highLongitude: number;
};

const ROW = 16;
const { max, min } = Math;

export function nowhere(): Box {
  return {
    lowLatitude: NOWHERE_LOW,
    highLatitude: NOWHERE_HIGH,
    lowLongitude: NOWHERE_LOW,
    highLongitude: NOWHERE_HIGH,
  };
}

export function clearBoxes(heap: Heap, boxes: number): void {
  for (let row = 0; row < BOXES; row += 2 * ROW) {
    heap.i32.fill(NOWHERE_LOW, boxes + row, boxes + row + ROW);
    heap.i32.fill(NOWHERE_HIGH, boxes + row + ROW, boxes + row + 2 * ROW);
  }
}

export function readBox(heap: Heap, boxes: number, place: number): Box {
  return {
    lowLatitude: readSigned(heap, boxes + LOW_LATITUDE + place),
    highLatitude: readSigned(heap, boxes + HIGH_LATITUDE + place),
    lowLongitude: readSigned(heap, boxes + LOW_LONGITUDE + place),
    highLongitude: readSigned(heap, boxes + HIGH_LONGITUDE + place),
  };
}

/** @returns whether the box changed */
export function writeBox(heap: Heap, boxes: number, place: number, box: Box): boolean {
  const changed =
    readSigned(heap, boxes + LOW_LATITUDE + place) !== box.lowLatitude ||
    readSigned(heap, boxes + HIGH_LATITUDE + place) !== box.highLatitude ||
    readSigned(heap, boxes + LOW_LONGITUDE + place) !== box.lowLongitude ||
    readSigned(heap, boxes + HIGH_LONGITUDE + place) !== box.highLongitude;
  heap.i32[boxes + LOW_LATITUDE + place] = box.lowLatitude;
  heap.i32[boxes + HIGH_LATITUDE + place] = box.highLatitude;
  heap.i32[boxes + LOW_LONGITUDE + place] = box.lowLongitude;
  heap.i32[boxes + HIGH_LONGITUDE + place] = box.highLongitude;
  return changed;
}

/** The box around all sixteen. */
export function boxAround(heap: Heap, boxes: number): Box {
  const around = nowhere();
  for (let place = 0; place < ROW; place += 1) {
    around.lowLatitude = min(around.lowLatitude, readSigned(heap, boxes + LOW_LATITUDE + place));
    around.highLatitude = max(around.highLatitude, readSigned(heap, boxes + HIGH_LATITUDE + place));
    around.lowLongitude = min(around.lowLongitude, readSigned(heap, boxes + LOW_LONGITUDE + place));
    around.highLongitude = max(around.highLongitude, readSigned(heap, boxes + HIGH_LONGITUDE + place));
  }
  return around;
}

export function extend(box: Box, latitude: number, longitude: number): void {
  box.lowLatitude = min(box.lowLatitude, latitude);
  box.highLatitude = max(box.highLatitude, latitude);
  box.lowLongitude = min(box.lowLongitude, longitude);
  box.highLongitude = max(box.highLongitude, longitude);
}

/** @returns whether the box changed */
export function extendBox(
  heap: Heap,
  boxes: number,
  place: number,
  latitude: number,
  longitude: number,
): boolean {
  if (growth(heap, boxes, place, latitude, longitude) === 0) return false;
  const box = readBox(heap, boxes, place);
  extend(box, latitude, longitude);
  return writeBox(heap, boxes, place, box);
}

/** The increase of half the box's perimeter when a place is added; one microdegree for an empty box. */
export function growth(
  heap: Heap,
  boxes: number,
  place: number,
  latitude: number,
  longitude: number,
): number {
  const south = readSigned(heap, boxes + LOW_LATITUDE + place);
  if (south === NOWHERE_LOW) return 1;
  return (
    max(0, south - latitude) +
    max(0, latitude - readSigned(heap, boxes + HIGH_LATITUDE + place)) +
    max(0, readSigned(heap, boxes + LOW_LONGITUDE + place) - longitude) +
    max(0, longitude - readSigned(heap, boxes + HIGH_LONGITUDE + place))
  );
}

/** Whether the box might become smaller without that place. */
export function isOnEdge(
  heap: Heap,
  boxes: number,
  place: number,
  latitude: number,
  longitude: number,
): boolean {
  return (
    latitude === readSigned(heap, boxes + LOW_LATITUDE + place) ||
    latitude === readSigned(heap, boxes + HIGH_LATITUDE + place) ||
    longitude === readSigned(heap, boxes + LOW_LONGITUDE + place) ||
    longitude === readSigned(heap, boxes + HIGH_LONGITUDE + place)
  );
}
