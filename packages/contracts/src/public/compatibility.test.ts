import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventJsonSchema } from '../events/asyncapi.ts';
import { declareEvent, type EventDeclaration, routingKey } from '../events/event-declaration.ts';
import { allEvents } from '../events/events.ts';
import { breakingChanges } from './compatibility.ts';

const promises = join(import.meta.dirname, '../../promised');
/** Events without a promise until `npm run promise` follows the release. */
const newInThisRelease: readonly string[] = ['offers.OfferEndsSoon.v1', 'offers.WeekEnded.v1'];

function schemaAsJson(declaration: EventDeclaration): Record<string, unknown> {
  return JSON.parse(JSON.stringify(eventJsonSchema(declaration))) as Record<string, unknown>;
}

const byKey = allEvents.map((declaration) => [routingKey(declaration), declaration] as const);

describe('events of this release', () => {
  it.each(byKey.filter(([key]) => !newInThisRelease.includes(key)))(
    '%s is compatible with the last release',
    (key, declaration) => {
      const promised = readFileSync(join(promises, `${key}.json`), 'utf8');
      expect(breakingChanges(JSON.parse(promised), schemaAsJson(declaration))).toEqual([]);
    },
  );

  it('are those of the last release and the new ones', () => {
    const promised = readdirSync(promises).map((file) => file.replace(/\.json$/, ''));
    expect([...promised, ...newInThisRelease].toSorted()).toEqual(allEvents.map(routingKey).toSorted());
  });

  it.each(byKey)(
    '%s is read as its sample, also with a field that this release does not know',
    (key, declaration) => {
      const sample = JSON.parse(
        readFileSync(join(promises, '..', 'samples', `${key}.json`), 'utf8'),
      ) as object;
      expect(declaration.schema.parse({ ...sample, fieldOfTheNextRelease: 1 })).toEqual(sample);
      expect(JSON.stringify(schemaAsJson(declaration))).not.toContain('"additionalProperties":false');
    },
  );
});

describe('a change of an event', () => {
  const promised = {
    id: z.int(),
    mode: z.enum(['TEST', 'LIVE']),
    place: z.object({ city: z.string(), zip: z.string().optional() }),
    people: z.array(z.object({ name: z.string() })),
    note: z.string().optional(),
  };
  const schemaOf = (shape: z.ZodRawShape) =>
    schemaAsJson(
      declareEvent({
        name: 'Changed',
        version: 1,
        owner: 'offers',
        consumers: [],
        schema: z.object(shape),
        meaning: '',
      }),
    );
  const changesTo = (shape: z.ZodRawShape) =>
    breakingChanges(schemaOf(promised), schemaOf({ ...promised, ...shape }));

  it.each([
    ['an optional field', { more: z.string().optional() }],
    [
      'an optional field inside a field',
      { place: promised.place.extend({ country: z.string().optional() }) },
    ],
    [
      'an optional field inside the items of a list',
      { people: z.array(z.object({ name: z.string(), age: z.int().optional() })) },
    ],
    ['a description', { id: z.int().meta({ description: 'Which one.' }) }],
  ])('may add %s', (_case, shape) => {
    expect(changesTo(shape)).toEqual([]);
  });

  it.each([
    ['a new required field', { more: z.string() }, '.more is required: events of the last release'],
    ['a field that becomes required', { note: z.string() }, '.note is required: events of the last release'],
    [
      'a field that becomes optional',
      { id: z.int().optional() },
      '.id may be missing: declare a new version',
    ],
    ['another type', { id: z.string() }, '.id accepts other values: declare a new version'],
    ['one more value', { mode: z.enum(['TEST', 'LIVE', 'TRIAL']) }, '.mode accepts other values'],
    ['one value less', { mode: z.enum(['LIVE']) }, '.mode accepts other values'],
    ['a bound', { id: z.int().max(9) }, '.id accepts other values'],
    [
      'a required field inside the items of a list',
      { people: z.array(z.object({ name: z.string(), age: z.int() })) },
      '.people[].age is required',
    ],
    [
      'another type inside the items of a list',
      { people: z.array(z.object({ name: z.int() })) },
      '.people[].name accepts other values',
    ],
    ['other items of a list', { people: z.array(z.string()) }, '.people[] accepts other values'],
    ['a text instead of a list', { people: z.string() }, '.people accepts other values'],
    [
      'a field that is missing inside a field',
      { place: promised.place.omit({ city: true }) },
      '.place.city is gone',
    ],
  ])('with %s is refused, and the message says what to do', (_case, shape, problem) => {
    expect(changesTo(shape)).toEqual([expect.stringContaining(problem)]);
  });

  it('without a required or optional field is refused', () => {
    const { id: _id, note: _note, ...rest } = promised;
    expect(breakingChanges(schemaOf(promised), schemaOf(rest))).toEqual([
      expect.stringContaining('.id is gone'),
      expect.stringContaining('.note is gone'),
    ]);
  });
});
