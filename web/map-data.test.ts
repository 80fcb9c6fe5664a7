import { beforeAll, describe, expect, test } from '@jest/globals';
import { clipRing, mapTiles, townLists } from './map-data.ts';
import { aroundText, readCities, searchIn } from './portal/src/map/cities.ts';
import {
  finest,
  isCut,
  levels,
  MARGIN_UNITS,
  pointsOf,
  type StoredTile,
  TILE_UNITS,
  type TileName,
  tileOf,
  worldOf,
} from './portal/src/map/tile-grid.ts';

const places = {
  london: { latitude: 51.5074, longitude: -0.1278 },
  berlin: { latitude: 52.52, longitude: 13.405 },
  denver: { latitude: 39.74, longitude: -104.99 },
  sydney: { latitude: -33.87, longitude: 151.1 },
  northSea: { latitude: 54.5, longitude: 3 },
  atlantic: { latitude: 30, longitude: -40 },
  caspianSea: { latitude: 42, longitude: 50.5 },
  ladoga: { latitude: 60.9, longitude: 31.4 },
};

describe('the tiles of the map', () => {
  let tiles: ReadonlyMap<TileName, StoredTile>;
  beforeAll(() => {
    tiles = mapTiles();
  }, 60_000);

  const kindAt = (place: { latitude: number; longitude: number }, level = finest) => {
    const name = tileOf(level, place);
    const tile = tiles.get(name);
    if (tile === undefined) return 'sea';
    const [, tileX = 0, tileY = 0] = name.split('/').map(Number);
    const { x, y } = worldOf(place);
    const at = [
      (x * 2 ** level.zoom - tileX) * TILE_UNITS,
      (y * 2 ** level.zoom - tileY) * TILE_UNITS,
    ] as const;
    if (isInside(tile.lakes, at)) return 'lake';
    return isInside(tile.land, at) ? 'land' : 'sea';
  };

  test.each([
    ['london', 'land'],
    ['berlin', 'land'],
    ['denver', 'land'],
    ['sydney', 'land'],
    ['northSea', 'sea'],
    ['atlantic', 'sea'],
    ['caspianSea', 'sea'],
    ['ladoga', 'lake'],
  ] as const)('show %s as %s', (place, kind) => {
    expect(kindAt(places[place])).toBe(kind);
  });

  test('show the middle of countries as land at every level', () => {
    for (const level of levels) {
      expect([level.zoom, kindAt(places.berlin, level)]).toEqual([level.zoom, 'land']);
      expect([level.zoom, kindAt(places.atlantic, level)]).toEqual([level.zoom, 'sea']);
    }
  });

  test('go a little beyond their edges, and never further', () => {
    const isFar = (ring: readonly number[]) =>
      pointsOf(ring).some((unit) => unit < -MARGIN_UNITS || unit > TILE_UNITS + MARGIN_UNITS);
    const leaving = [...tiles].filter(([, { land, lakes }]) => [...land, ...lakes].some(isFar));
    expect(leaving.map(([name]) => name)).toEqual([]);
  });

  test('are small enough for a phone', () => {
    // Brotli makes about a third of it.
    for (const [name, tile] of tiles)
      expect([name, JSON.stringify(tile).length < 200_000]).toEqual([name, true]);
  });

  test('name a place after its town', () => {
    const around = (place: { latitude: number; longitude: number }) => {
      const towns = readCities(tiles.get(tileOf(finest, place))?.towns ?? '');
      return aroundText(towns, place, 10);
    };
    expect(around(places.berlin)).toMatch(/^10 miles around .+, Germany$/);
    expect(around(places.atlantic)).toBe('10 miles around 30.000° N, 40.000° W');
  });
});

test('the lists of towns hold every town under each of its words', () => {
  const lists = townLists();
  for (const letters of ['ne', 'yo'])
    expect(searchIn(readCities(lists.get(letters) ?? ''))('new york', 1)[0]?.name).toBe('New York City');
});

test('a ring is cut along the box, and a cut is no coast', () => {
  const box = { west: 0, east: 1, north: 0, south: 1 };
  const around = [
    [-1, -1],
    [2, -1],
    [2, 2],
    [-1, 2],
  ] as const;
  expect(clipRing(around, box).toSorted(([a, b], [c, d]) => a - c || b - d)).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  expect(
    clipRing(
      [
        [2, 2],
        [3, 2],
        [3, 3],
      ],
      box,
    ),
  ).toEqual([]);
  const edge = TILE_UNITS + MARGIN_UNITS;
  expect(isCut(edge, 5, edge, 9)).toBe(true);
  expect(isCut(edge, 5, edge - 1, 9)).toBe(false);
  expect(isCut(7, 5, 7, 9)).toBe(false);
});

/** Counts the crossings of a line to the right: even and odd, as the map fills its shapes. */
function isInside(rings: StoredTile['land'], [atX, atY]: readonly [number, number]): boolean {
  let inside = false;
  for (const ring of rings) {
    const points = pointsOf(ring);
    for (let index = 0; index < points.length; index += 2) {
      const next = (index + 2) % points.length;
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [
        points[index],
        points[index + 1],
        points[next],
        points[next + 1],
      ];
      if (y1 > atY !== y2 > atY && atX < x1 + ((atY - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
    }
  }
  return inside;
}
