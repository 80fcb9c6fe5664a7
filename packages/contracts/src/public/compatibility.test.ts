import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventJsonSchema } from '../events/asyncapi.ts';
import { declareEvent, type EventDeclaration, routingKey } from '../events/event-declaration.ts';
import { allEvents } from '../events/events.ts';
import { breakingChanges } from './compatibility.ts';

const promises = join(import.meta.dirname, '../../promised');

function written(declaration: EventDeclaration): Record<string, unknown> {
  return JSON.parse(JSON.stringify(eventJsonSchema(declaration))) as Record<string, unknown>;
}

describe('events of this release', () => {
  it.each(allEvents.map((declaration) => [routingKey(declaration), declaration] as const))(
    '%s is what consumers of the last release take it for',
    (key, declaration) => {
      const file = join(promises, `${key}.json`);
      // New in this release, so that nobody relies on it yet.
      if (!existsSync(file)) return;
      expect(breakingChanges(JSON.parse(readFileSync(file, 'utf8')), written(declaration))).toEqual([]);
    },
  );

  it('are all that was promised: a version that has consumers is not dropped unnoticed', () => {
    const known = new Set(allEvents.map(routingKey));
    const promised = readdirSync(promises).map((file) => file.replace(/\.json$/, ''));
    expect(promised.filter((key) => !known.has(key))).toEqual([]);
  });

  it.each(allEvents.map((declaration) => [routingKey(declaration), declaration] as const))(
    '%s may get a field that its consumers do not know',
    (key, declaration) => {
      const sample = JSON.parse(
        readFileSync(join(promises, '..', 'samples', `${key}.json`), 'utf8'),
      ) as object;
      expect(declaration.schema.parse({ ...sample, fieldOfTheNextRelease: 1 })).toEqual(sample);
      expect(JSON.stringify(written(declaration))).not.toContain('"additionalProperties":false');
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
    written(
      declareEvent({
        name: 'Told',
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
    ['a field that may be missing', { more: z.string().optional() }],
    ['one within a field', { place: promised.place.extend({ country: z.string().optional() }) }],
    [
      'one within the parts of a list',
      { people: z.array(z.object({ name: z.string(), age: z.int().optional() })) },
    ],
    ['what is said of a field', { id: z.int().meta({ description: 'Which one.' }) }],
  ])('adds %s: that breaks nobody', (_case, shape) => {
    expect(changesTo(shape)).toEqual([]);
  });

  it.each([
    ['a new field that must be there', { more: z.string() }, '.more is required: events of the last release'],
    ['that a field must be there', { note: z.string() }, '.note is required: events of the last release'],
    ['that a field may be missing', { id: z.int().optional() }, '.id may be missing: declare a new version'],
    ['another type', { id: z.string() }, '.id accepts other values: declare a new version'],
    ['one more value', { mode: z.enum(['TEST', 'LIVE', 'TRIAL']) }, '.mode accepts other values'],
    ['one value less', { mode: z.enum(['LIVE']) }, '.mode accepts other values'],
    ['a bound', { id: z.int().max(9) }, '.id accepts other values'],
    [
      'a field within the parts of a list that must be there',
      { people: z.array(z.object({ name: z.string(), age: z.int() })) },
      '.people[].age is required',
    ],
    [
      'another type within the parts of a list',
      { people: z.array(z.object({ name: z.int() })) },
      '.people[].name accepts other values',
    ],
    ['other parts of a list', { people: z.array(z.string()) }, '.people[] accepts other values'],
    ['no list any more', { people: z.string() }, '.people accepts other values'],
    ['the same within a field', { place: promised.place.omit({ city: true }) }, '.place.city is gone'],
  ])('brings %s: that is refused, with what to do', (_case, shape, problem) => {
    expect(changesTo(shape)).toEqual([expect.stringContaining(problem)]);
  });

  it('leaves out a field: that is refused, needed or not', () => {
    const { id: _id, note: _note, ...rest } = promised;
    expect(breakingChanges(schemaOf(promised), schemaOf(rest))).toEqual([
      expect.stringContaining('.id is gone'),
      expect.stringContaining('.note is gone'),
    ]);
  });
});
