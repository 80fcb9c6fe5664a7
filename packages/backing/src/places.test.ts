import { describe, expect, it } from '@jest/globals';
import { firstFound, found, notFound } from './find.ts';
import { BackingMissing, placesOf, type Start, type StoreSources, sayMissing, sayTaken } from './places.ts';
import type { RunningStore } from './stores.ts';

const nowhere: StoreSources = {
  addresses: {
    postgres: { variable: 'PG_ADDRESS', url: undefined },
    mongo: { variable: 'MONGO_ADDRESS', url: undefined },
    rabbitmq: { variable: 'RABBIT_ADDRESS', url: undefined },
    valkey: { variable: 'VALKEY_ADDRESS', url: undefined },
  },
  docker: async () => notFound('its daemon does not answer'),
  embedded: () => [
    { name: 'installed', look: async () => notFound('no program on PATH') },
    { name: 'download', look: async () => notFound('no network') },
  ],
};

function startsAt(url: string): Start {
  return async (): Promise<RunningStore> => ({ url, stop: async () => {} });
}

const cannotStart: Start = async () => {
  throw new Error('no permission');
};

function mustNotBeAsked(): never {
  throw new Error('asked a place behind the first one that has it');
}

const lookFor = (sources: StoreSources) => firstFound(placesOf('mongo', sources));

describe('the place of a store', () => {
  it('is Docker when no address is given and Docker has it, and no other place is asked', async () => {
    const finding = await lookFor({
      ...nowhere,
      docker: async () => found(startsAt('mongodb://in-docker'), 'image mongo is present'),
      embedded: () => [{ name: 'installed', look: mustNotBeAsked }],
    });
    expect(finding).toMatchObject({ found: true, place: 'Docker', value: { url: 'mongodb://in-docker' } });
  });

  it('is an embedded server when Docker does not answer', async () => {
    const finding = await lookFor({
      ...nowhere,
      embedded: () => [
        { name: 'installed', look: async () => found(startsAt('mongodb://embedded'), 'mongod on PATH') },
        { name: 'download', look: mustNotBeAsked },
      ],
    });
    expect(finding).toMatchObject({ found: true, place: 'installed', value: { url: 'mongodb://embedded' } });
  });

  it('is the next one when a store does not start', async () => {
    const finding = await lookFor({
      ...nowhere,
      docker: async () => found(cannotStart, 'image mongo is present'),
      embedded: () => [
        { name: 'installed', look: async () => found(cannotStart, 'mongod on PATH') },
        { name: 'download', look: async () => found(startsAt('mongodb://downloaded'), 'downloaded') },
      ],
    });
    expect(finding).toMatchObject({
      found: true,
      place: 'download',
      skipped: [
        { name: 'environment', why: 'MONGO_ADDRESS is not set' },
        { name: 'Docker', why: 'image mongo is present, but it did not start: no permission' },
        { name: 'installed', why: 'mongod on PATH, but it did not start: no permission' },
      ],
    });
  });

  it('is reported in one line, with the reasons against the places before it', async () => {
    const finding = await lookFor({
      ...nowhere,
      embedded: () => [{ name: 'installed', look: async () => found(startsAt('m'), 'mongod on PATH') }],
    });
    if (!finding.found) throw new Error('not found');
    expect(sayTaken('mongo', finding)).toBe(
      'MongoDB: mongod on PATH (environment: MONGO_ADDRESS is not set; Docker: its daemon does not answer)',
    );
  });

  it('is none: the message names the missing store, the places that were tried and three ways to provide it', async () => {
    const finding = await lookFor(nowhere);
    if (finding.found) throw new Error('found');
    const message = sayMissing('mongo', finding, nowhere.addresses.mongo);
    expect(message).toContain('MongoDB is missing');
    for (const reason of [
      'MONGO_ADDRESS is not set',
      'daemon does not answer',
      'no program on PATH',
      'no network',
    ])
      expect(message).toContain(reason);
    expect(message).toMatch(/1\. set MONGO_ADDRESS.*\n.*2\. start Docker.*\n.*3\. install mongod/);
  });
});

describe('a given address that does not answer', () => {
  it('is an error: no other place is asked', async () => {
    const dead = { variable: 'RABBIT_ADDRESS', url: 'amqp://127.0.0.1:1' };
    const looking = firstFound(
      placesOf(
        'rabbitmq',
        { ...nowhere, addresses: { ...nowhere.addresses, rabbitmq: dead }, docker: mustNotBeAsked },
        100,
      ),
    );
    await expect(looking).rejects.toThrow(BackingMissing);
    await expect(looking).rejects.toThrow('RABBIT_ADDRESS is set, but no RabbitMQ answers there');
  });
});
