/**
 * The map's data are cut into square tiles of the Web Mercator grid, so that a page loads only the part that it shows (ADR 41, map data).
 * The build writes the tiles (web/map-data.ts), and the map reads them: both use this file.
 */
import type { Place } from '@offer-ads/contracts/places/cities';

/** Coordinates in a tile go from 0 to this number: to the east, and to the south. */
export const TILE_UNITS = 8_192;
/** Shapes go on a little beyond their tile, so that a line along the edge is as thick as elsewhere. */
export const MARGIN_UNITS = 128;

export type Level = {
  /** Zoom of the tiles: the world has 2 ** zoom of them in each direction. */
  readonly zoom: number;
  /** The largest zoom of the map at which this level is drawn. */
  readonly upTo: number;
  /** Smaller towns are left out. */
  readonly minPopulation: number;
};

/** The coarsest first. */
export const levels = [
  { zoom: 0, upTo: 3, minPopulation: 1_000_000 },
  { zoom: 3, upTo: 6, minPopulation: 100_000 },
  { zoom: 5, upTo: 12, minPopulation: 5_000 },
] as const satisfies readonly Level[];
export const finest: Level = levels[2];

export function levelAt(mapZoom: number): Level {
  return levels.find(({ upTo }) => mapZoom <= upTo) ?? finest;
}

export type TileName = `${number}/${number}/${number}`;

export function tileName(zoom: number, x: number, y: number): TileName {
  return `${zoom}/${x}/${y}`;
}

/** The tile of a level in which a place is. */
export function tileOf({ zoom }: Level, place: Place): TileName {
  const { x, y } = worldOf(place);
  const most = 2 ** zoom - 1;
  const at = (part: number) => Math.min(most, Math.max(0, Math.floor(part * 2 ** zoom)));
  return tileName(zoom, at(x - Math.floor(x)), at(y));
}

/** Web Mercator: the world is the square from 0 to 1. */
export function worldOf({ latitude, longitude }: Place): { readonly x: number; readonly y: number } {
  const radians = (Math.max(-89.9, Math.min(89.9, latitude)) * Math.PI) / 180;
  return {
    x: (longitude + 180) / 360,
    y: 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI),
  };
}

/** One tile as it is stored. Each line is its first point, then the differences from point to point: x and y alternate. */
export type StoredTile = {
  /** Rings of land. Where they overlap, the inner one is a hole. */
  readonly land: readonly (readonly number[])[];
  readonly lakes: readonly (readonly number[])[];
  readonly borders: readonly (readonly number[])[];
  readonly rivers: readonly (readonly number[])[];
  /** One a line, the largest first (`readCities`). */
  readonly towns: string;
};

/** The points of a stored line. */
export function pointsOf(stored: readonly number[]): Int32Array {
  const points = Int32Array.from(stored);
  for (let index = 2; index < points.length; index += 1)
    points[index] = (points[index] ?? 0) + (points[index - 2] ?? 0);
  return points;
}

export function storedLine(points: readonly number[]): readonly number[] {
  return points.map((value, index) => (index < 2 ? value : value - (points[index - 2] ?? 0)));
}

/** Whether a stretch of a coast runs along the edge at which the land was cut: it is no coast. */
export function isCut(x1: number, y1: number, x2: number, y2: number): boolean {
  return (x1 === x2 && isEdge(x1)) || (y1 === y2 && isEdge(y1));
}

function isEdge(unit: number): boolean {
  return unit <= -MARGIN_UNITS || unit >= TILE_UNITS + MARGIN_UNITS;
}
