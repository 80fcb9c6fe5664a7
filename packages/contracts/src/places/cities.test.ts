import { describe, expect, test } from '@jest/globals';
import {
  aroundText,
  beginningsOf,
  milesBetween,
  milesText,
  nameOf,
  nearestCity,
  readCities,
  readCoordinates,
  searchIn,
} from './cities.ts';

const cities = readCities(
  [
    'London\tGB\tENG\t51509\t-126\t8962',
    'München\tDE\t\t48137\t11575\t1260',
    'Springfield\tUS\tMO\t37215\t-93298\t167',
    'Springfield\tUS\tIL\t39802\t-89644\t117',
    'Łódź\tPL\t\t51770\t19460\t768',
    'New London\tUS\tCT\t41356\t-72100\t27',
    'Suva\tFJ\t\t-18142\t178441\t77',
  ].join('\n'),
);
const [london, , , , , , suva] = cities as [City, City, City, City, City, City, City];
type City = (typeof cities)[number];

describe('the search for a place', () => {
  const search = searchIn(cities);
  const found = (text: string, country = 'GB') => search(text, 8, country).map(nameOf);

  test('ignores accents and capitals', () => {
    expect(found('munchen')).toEqual(['München, Germany']);
    expect(found('MÜNCHEN')).toEqual(['München, Germany']);
    expect(found('lodz')).toEqual(['Łódź, Poland']);
  });
  test('lists names that begin with the text first', () => {
    expect(found('lon')).toEqual(['London, England, United Kingdom', 'New London, CT, United States']);
  });
  test('lists places of the own country first', () => {
    expect(found('lon', 'US')).toEqual(['New London, CT, United States', 'London, England, United Kingdom']);
  });
  test('distinguishes places of one name by region and country', () => {
    expect(found('springfield il')).toEqual(['Springfield, IL, United States']);
    expect(found('london england')).toEqual(['London, England, United Kingdom']);
  });
  test('finds no town by its country alone', () => {
    expect(found('germany')).toEqual([]);
  });
  test('finds no more than requested', () => {
    expect(search('s', 2, 'GB')).toHaveLength(2);
    expect(search(' ', 2, 'GB')).toEqual([]);
  });
});

test('the lists of a search are those of the first two letters of its words', () => {
  expect(beginningsOf('São Paulo, a town in Łódź')).toEqual(['sa', 'pa', 'to', 'in', 'lo']);
  expect(beginningsOf(' - ')).toEqual([]);
  expect(readCities('')).toEqual([]);
});

describe('a place', () => {
  test('is named after the nearest town', () => {
    expect(nearestCity(cities, { latitude: 51.4, longitude: -0.2 })).toBe(london);
    expect(aroundText(cities, { latitude: 51.4, longitude: -0.2 }, 10)).toBe(
      '10 miles around London, England, United Kingdom',
    );
  });
  test('is named across the date line', () => {
    const place = { latitude: -18.142, longitude: 178.441 - 360 };
    expect(milesBetween(suva, place)).toBeCloseTo(0, 3);
    expect(nearestCity(cities, place)).toBe(suva);
  });
  test('is named by its coordinates where no town is near', () => {
    expect(aroundText(cities, { latitude: 0, longitude: -30.5 }, 5)).toBe(
      '5 miles around 0.000° N, 30.500° W',
    );
  });
  test('is 570 miles from another: London and Munich', () => {
    expect(Math.round(milesBetween(london, cities[1] as City))).toBe(570);
  });
});

test('a distance is told in miles and kilometres', () => {
  expect([1, 10, 50].map(milesText)).toEqual(['1 mile (2 km)', '10 miles (16 km)', '50 miles (80 km)']);
});

test('coordinates can be pasted', () => {
  expect(readCoordinates('51.5, -0.12')).toEqual({ latitude: 51.5, longitude: -0.12 });
  expect(readCoordinates('51.5 -0.12')).toEqual({ latitude: 51.5, longitude: -0.12 });
  expect(readCoordinates('91, 0')).toBeNull();
  expect(readCoordinates('London')).toBeNull();
});
