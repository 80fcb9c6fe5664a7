import { expect, test } from '@jest/globals';
import { bitsOfInterests, counts, everybody, interestsOf, populationOf } from './members/population.ts';
import { bruteForce } from './peers/brute-force.ts';
import { targets } from './queries.ts';

const population = populationOf(20_000);

test('the queries are the same two hundred in every run, within the limits of an estimate', () => {
  const asked = targets();
  expect(asked).toEqual(targets());
  expect(asked).toHaveLength(200);
  for (const { latitude, longitude, radiusMiles } of asked) {
    expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
    expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
    expect(radiusMiles).toBeGreaterThanOrEqual(5);
    expect(radiusMiles).toBeLessThanOrEqual(30);
  }
});

test('small ones are two hundred others, of small circles that mostly reach somebody', () => {
  const asked = targets('small');
  expect(asked).toEqual(targets('small'));
  expect(asked).toHaveLength(200);
  for (const { radiusMiles } of asked) expect(radiusMiles).toBeLessThanOrEqual(8);
  const reached = asked.map((target) => bruteForce(population, target));
  expect(reached.filter((members) => members > 0).length).toBeGreaterThan(100);
  expect(Math.max(...reached)).toBeLessThan(1_000);
});

test('they ask with and without filters, on both sides of the date line, and where nobody lives', () => {
  const asked = targets();
  const some = (is: (target: (typeof asked)[number]) => boolean) => asked.filter(is).length;
  expect(some(({ gender }) => gender.length === 0)).toBeGreaterThan(50);
  expect(some(({ gender }) => gender.length > 0)).toBeGreaterThan(50);
  expect(some(({ interests }) => interests.length === 0)).toBeGreaterThan(50);
  expect(some(({ interests }) => interests.length > 0)).toBeGreaterThan(50);
  expect(some(({ longitude }) => longitude > 179)).toBeGreaterThan(1);
  expect(some(({ longitude }) => longitude < -179)).toBeGreaterThan(1);
  const seas = asked.filter(({ latitude, longitude }) => latitude === 35 && longitude === -40);
  expect(seas.map((target) => bruteForce(population, target))).toEqual(seas.map(() => 0));
  const large = asked.filter((target) => bruteForce(population, target) > 100);
  expect(large.length).toBeGreaterThan(20);
});

test('the population is who counts, and some of them live on both sides of the date line', () => {
  const facts = [...everybody(20_000)];
  expect(facts.filter(counts)).toHaveLength(20_000);
  expect(facts.length).toBeGreaterThan(20_000);
  expect([...population.memberIds]).toEqual(facts.filter(counts).map(({ memberId }) => memberId));
  const islanders = [...population.longitudesE6].filter((e6) => Math.abs(e6) > 179_500_000);
  expect(islanders.filter((e6) => e6 > 0).length).toBeGreaterThan(5);
  expect(islanders.filter((e6) => e6 < 0).length).toBeGreaterThan(5);
});

test('interests become bits and come back', () => {
  for (const interests of [[], [1], [3, 17, 30], [31]]) {
    expect(interestsOf(bitsOfInterests(interests))).toEqual(interests);
  }
});
