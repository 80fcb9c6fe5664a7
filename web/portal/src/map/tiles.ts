/** Loads tiles of the map's data: each once, and again after a failure. */
import loaders from 'virtual:map-data/tiles';
import { type Cities, type Place, readCities } from '@offer-ads/contracts/places/cities';
import { finest, pointsOf, type StoredTile, type TileName, tileOf } from './tile-grid.ts';

/** A line with its bounds, in units of its tile. */
export type Shape = {
  readonly points: Int32Array;
  readonly west: number;
  readonly east: number;
  readonly north: number;
  readonly south: number;
};

export type Tile = {
  readonly land: readonly Shape[];
  readonly lakes: readonly Shape[];
  readonly borders: readonly Shape[];
  readonly rivers: readonly Shape[];
  readonly towns: Cities;
};

const openSea: Tile = { land: [], lakes: [], borders: [], rivers: [], towns: [] };
const known = new Map<TileName, Promise<Tile>>();

export function loadTile(name: TileName): Promise<Tile> {
  const loading = known.get(name) ?? load(name);
  known.set(name, loading);
  loading.catch(() => known.delete(name));
  return loading;
}

async function load(name: TileName): Promise<Tile> {
  const loader = loaders[name];
  if (loader === undefined) return openSea;
  const { default: text } = await loader();
  const stored = JSON.parse(text) as StoredTile;
  return {
    land: stored.land.map(shapeOf),
    lakes: stored.lakes.map(shapeOf),
    borders: stored.borders.map(shapeOf),
    rivers: stored.rivers.map(shapeOf),
    towns: readCities(stored.towns),
  };
}

function shapeOf(stored: readonly number[]): Shape {
  const points = pointsOf(stored);
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let index = 0; index < points.length; index += 2) {
    const [x = 0, y = 0] = [points[index], points[index + 1]];
    west = Math.min(west, x);
    east = Math.max(east, x);
    north = Math.min(north, y);
    south = Math.max(south, y);
  }
  return { points, west, east, north, south };
}

/** The towns near a place, to name it. */
export async function townsNear(place: Place): Promise<Cities> {
  return (await loadTile(tileOf(finest, place))).towns;
}
