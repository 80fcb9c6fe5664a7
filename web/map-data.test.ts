import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  aroundText,
  beginningsOf,
  milesBetween,
  nameOf,
  readCities,
} from '@offer-ads/contracts/places/cities';
import { findPlaces } from '@offer-ads/contracts/places/find-places';
import { readPostcodes } from '@offer-ads/contracts/places/postcodes';
import { mapTiles, postcodeLists, townLists } from './map-data.ts';
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
import { examplesFor } from './portal/src/pages/offers/new/places/place-examples.ts';

const places = {
  london: { latitude: 51.5074, longitude: -0.1278 },
  berlin: { latitude: 52.52, longitude: 13.405 },
  denver: { latitude: 39.74, longitude: -104.99 },
  sydney: { latitude: -33.87, longitude: 151.1 },
  manchester: { latitude: 53.4808, longitude: -2.2426 },
  chicago: { latitude: 41.8781, longitude: -87.6298 },
  newYork: { latitude: 40.7128, longitude: -74.006 },
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

describe('the search for a place', () => {
  const towns = townLists();
  const postcodes = postcodeLists();
  const find = (text: string, country = 'GB') =>
    findPlaces(
      {
        townsFor: async (name) => {
          const lists = beginningsOf(name).map((letters) => readCities(towns.get(letters) ?? ''));
          return lists.flat().toSorted((a, b) => b.thousands - a.thousands);
        },
        postcodes: async (name) => readPostcodes(postcodes.get(name) ?? ''),
      },
      { text, country, most: 8 },
    );
  const first = async (text: string, country?: string) => {
    const { places } = await find(text, country);
    return places[0] === undefined ? null : nameOf(places[0]);
  };
  const position = async (text: string, country?: string) => {
    const { postcode } = await find(text, country);
    return postcode && [postcode.latitude, postcode.longitude];
  };

  test.each(['BN1 1AA', 'bn11aa', ' Bn1  1aa ', 'BN1 1A', 'BN1 1'])(
    'takes “%s” for a sector of Brighton',
    async (text) => {
      expect(await position(text)).toEqual([50.82, -0.14]);
    },
  );
  test.each<[code: string, country: string, position: [number, number]]>([
    ['BN1', 'GB', [50.83, -0.14]],
    // A new sector of a known district.
    ['BN1 0AA', 'GB', [50.83, -0.14]],
    ['BN11', 'GB', [50.81, -0.38]],
    ['W1D 3QF', 'GB', [51.51, -0.13]],
    ['BT1 1AA', 'GB', [54.59, -5.93]],
    ['90210', 'US', [34.1, -118.41]],
    ['90210-1234', 'US', [34.1, -118.41]],
    ['EC1', 'GB', [51.52, -0.1]],
    // The second is a town whose area is wilderness: its middle is far away.
    ['93720', 'US', [36.86, -119.76]],
    ['99701', 'US', [64.84, -147.72]],
    ['10115', 'DE', [52.53, 13.38]],
    ['D-10115', 'DE', [52.53, 13.38]],
    ['M5V 2T6', 'CA', [43.64, -79.4]],
    ['D02 AF30', 'IE', [53.34, -6.25]],
    ['1012 AB', 'NL', [52.37, 4.9]],
    ['111 22', 'SE', [59.33, 18.06]],
    ['2010', 'AU', [-33.88, 151.22]],
    ['75011', 'FR', [48.86, 2.38]],
  ])('knows where %s of %s is, within three miles', async (code, country, [latitude, longitude]) => {
    const [foundLatitude = 0, foundLongitude = 0] = (await position(code, country)) ?? [];
    const found = { latitude: foundLatitude, longitude: foundLongitude };
    expect(milesBetween(found, { latitude, longitude })).toBeLessThan(3);
  });
  test.each(['ZZ9 9ZZ', 'BN1 1AAA', 'B', 'M0 1AA', '12 Nowhere Street', '1000 Fifth Avenue'])(
    'knows nothing of “%s”',
    async (text) => {
      expect(await find(text)).toEqual({ places: [], postcode: null });
    },
  );
  test('asks which country a postcode means, and begins with the own', async () => {
    expect(await first('10115', 'DE')).toBe('10115, Germany');
    expect(await first('10115', 'US')).toBe('10115, United States');
    // Nothing is taken for granted: a British organisation may mean either.
    const { places, postcode } = await find('10115');
    expect([places.length > 1, postcode]).toEqual([true, null]);
  });
  test.each([
    ['Camden', 'GB', 'Camden, N1C, United Kingdom'],
    ['camden t', 'GB', 'Camden Town, England, United Kingdom'],
    ['Camden', 'US', 'Camden, NJ, United States'],
    ['Soho', 'GB', 'Soho, W1, United Kingdom'],
    ['Shoreditch', 'GB', 'Shoreditch, E1, United Kingdom'],
    ['brooklyn', 'US', 'Brooklyn, NY, United States'],
    ['new york', 'US', 'New York City, NY, United States'],
    ['york new', 'US', 'New York City, NY, United States'],
    ['Surry Hills', 'AU', 'Surry Hills, Australia'],
    ['Soho, London', 'GB', 'Soho, W1, United Kingdom'],
    ['soho london', 'GB', 'Soho, W1, United Kingdom'],
    ['12 Dean Street, Soho, London', 'GB', 'Soho, W1, United Kingdom'],
    ['Brighton BN1 1AA', 'GB', 'BN1 1AA, United Kingdom'],
    ['1 North Street, Brighton BN1 1AA', 'GB', 'BN1 1AA, United Kingdom'],
    ['10115 Berlin', 'DE', '10115, Germany'],
    ['Invalidenstr. 1, 10115 Berlin', 'DE', '10115, Germany'],
  ])('finds “%s” for an organisation of %s', async (text, country, name) => {
    expect(await first(text, country)).toBe(name);
  });
  test('takes a postcode for granted only when it is all that was typed', async () => {
    expect((await find('Brighton BN1 1AA')).postcode).toBeNull();
  });
  test.each([
    ['GB', [places.manchester, places.london, places.manchester]],
    ['US', [places.chicago, places.newYork, places.newYork]],
    ['DE', [places.berlin, places.berlin, places.berlin]],
    ['AU', [places.berlin, places.berlin, places.berlin]],
  ])('finds the examples of the form for %s where the demo has members', async (country, towns) => {
    const { town, part, postcode } = examplesFor(country);
    for (const [index, text] of [town, part, postcode].entries()) {
      const [found = places.atlantic] = (await find(text, country)).places;
      expect([text, milesBetween(found, towns[index] ?? places.atlantic) < 10]).toEqual([text, true]);
    }
  });
  test('loads little: a list is smaller than a tile of the map', () => {
    for (const lists of [towns, postcodes])
      for (const [name, list] of lists) expect([name, list.length < 150_000]).toEqual([name, true]);
  });
});

test('a cut is no coast', () => {
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
