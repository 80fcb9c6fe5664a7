/** Partitions answer over HTTP, each with an index of its members. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Target } from '@offer-ads/contracts/audience/target';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testContextSecret as secret, signedCaller } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { countByForce, createWorld, randomMember, randomTarget } from '../../test/audience/random-world.ts';
import { createAudienceIndex, type IndexedMember } from '../audience-index/audience-index.ts';
import { type Partition, partitionOf } from '../domain/members/partition.ts';
import { partitionFastPath } from '../http/partition-fast-path.ts';
import type { Audience, AudienceEngine } from './audience-engine.ts';
import { countPath, openPartitionedAudience } from './partitioned-audience.ts';

const clock = testClock('2026-11-20T18:00:00.000Z');
const foundation = { clock, logger: silentLogger, metrics: createMetrics('pricing') };
const never = new Promise<never>(() => {});
const earth = { latitude: 0, longitude: 0, radiusMiles: 30, gender: [], interests: [] };
/** A count that the partitions refuse. */
const unavailable = { status: 503, publicBody: { message: 'Service unavailable' } };

let opened: AsyncDisposableStack;
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

type Counting = Pick<Audience, 'count'> & { waitsFor?: string };

async function startPartition(partition: Partition, audience: Counting): Promise<HttpServer> {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    ...foundation,
    readiness: async () => [],
    routes: () => {},
    fastPath: partitionFastPath({
      partition,
      audience: {
        count: audience.count,
        waitsFor: async () => (audience.waitsFor === undefined ? [] : [audience.waitsFor]),
        includesWritten: async () => true,
      },
      secret,
      clock,
    }),
  });
  opened.defer(() => server[Symbol.asyncDispose]());
  return server;
}

/** @param engines one for each partition */
async function askerOf(engines: readonly Counting[]): Promise<Audience> {
  const servers = await Promise.all(
    engines.map((engine, number) => startPartition({ number, of: engines.length }, engine)),
  );
  return asking(servers.map(({ url }) => url));
}

function asking(urls: readonly string[], secretOfAsker = secret): Audience {
  return opened.use(openPartitionedAudience({ ...foundation, urls, secret: secretOfAsker }));
}

const countingTo = (count: number): AudienceEngine => ({ count: async () => count });

describe('a count over several partitions', () => {
  it('equals one index and the brute force, for random members, changes and targets', async () => {
    const world = createWorld(31, 20);
    const { chance } = world;
    for (const partitions of [2, 3, 4]) {
      const members = new Map<number, IndexedMember>();
      const whole = createAudienceIndex();
      const indexes = Array.from({ length: partitions }, () => createAudienceIndex());
      const asker = await askerOf(indexes.map((index) => ({ count: async (target) => index.count(target) })));
      for (let round = 0; round < runs(5, 100); round += 1) {
        for (let change = 0; change < 300; change += 1) {
          const id = 1 + chance.below(1_000);
          const owner = indexes[partitionOf(id, partitions)]!;
          if (chance.below(4) === 0) {
            for (const index of [whole, owner]) index.remove(id);
            members.delete(id);
            continue;
          }
          const member = randomMember(world, id);
          for (const index of [whole, owner]) index.put(member);
          members.set(id, member);
        }
        const targets = Array.from(
          { length: 200 },
          (): Target => ({
            ...randomTarget(world, undefined),
            radiusMiles: 5 + chance.below(26),
          }),
        );
        const counts = await Promise.all(targets.map((target) => asker.count(target)));
        expect(counts).toEqual(targets.map((target) => whole.count(target)));
        expect(counts).toEqual(targets.map((target) => countByForce(members.values(), target)));
      }
    }
  });

  it('is sent in one message with others that come at the same time, at most 64 targets in each', async () => {
    const messages: number[] = [];
    const answer = async (req: IncomingMessage, res: ServerResponse) => {
      const { targets } = (await json(req)) as { targets: unknown[] };
      messages.push(targets.length);
      res.end(JSON.stringify({ counts: targets.map(() => 1) }));
    };
    const server = createServer((req, res) => void answer(req, res));
    opened.defer(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asker = asking([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    await Promise.all(Array.from({ length: 160 }, () => asker.count(earth)));
    expect(messages.toSorted((a, b) => b - a)).toEqual([64, 64, 32]);
  });
});

describe('there is no count, but a 503', () => {
  it('when a partition is down', async () => {
    const servers = await Promise.all(
      [0, 1].map((number) => startPartition({ number, of: 2 }, countingTo(5))),
    );
    const asker = asking(servers.map(({ url }) => url));
    expect(await asker.count(earth)).toBe(10);
    await servers[1]![Symbol.asyncDispose]();
    await expect(asker.count(earth)).rejects.toMatchObject(unavailable);
  });

  it("when a partition does not answer within the count's second, or within the caller's deadline", async () => {
    const asker = await askerOf([countingTo(5), { count: () => never }]);
    await inTime(1_900, () => expect(asker.count(earth)).rejects.toMatchObject(unavailable));
    await inTime(900, () =>
      expect(asker.count(earth, createDeadline(100))).rejects.toMatchObject(unavailable),
    );
  });

  it('when a partition cannot count', async () => {
    const full = { count: () => Promise.reject(serviceUnavailable('full')) };
    const asker = await askerOf([countingTo(5), full]);
    await expect(asker.count(earth)).rejects.toMatchObject(unavailable);
  });

  it('when an address is that of another partition', async () => {
    const servers = await Promise.all(
      [0, 1].map((number) => startPartition({ number, of: 2 }, countingTo(5))),
    );
    const [first, second] = servers.map(({ url }) => url) as [string, string];
    await expect(asking([second, first]).count(earth)).rejects.toMatchObject(unavailable);
    await expect(asking([first]).count(earth)).rejects.toMatchObject(unavailable);
    await expect(asking([first, second, second]).count(earth)).rejects.toMatchObject(unavailable);
  });

  it('when over a thousand counts wait already', async () => {
    const asker = await askerOf([{ count: () => never }]);
    const counts = Array.from({ length: 2_000 }, () => asker.count(earth, createDeadline(400)));
    let isFirstOver = false;
    const first = counts[0]!.catch(() => (isFirstOver = true));
    const others = Promise.allSettled(counts);
    await expect(counts.at(-1)).rejects.toMatchObject(unavailable);
    expect(isFirstOver).toBe(false);
    await first;
    for (const { status } of await others) expect(status).toBe('rejected');
  });
});

describe('a process that asks partitions', () => {
  it('is ready when all of them are complete and current, and stays ready', async () => {
    const late: Counting = { ...countingTo(5), waitsFor: 'the audience index: to catch up' };
    const asker = await askerOf([countingTo(5), late]);
    expect(await asker.waitsFor()).toEqual(['partition 1 of 2 of the audience to count']);
    delete late.waitsFor;
    expect(await asker.waitsFor()).toEqual([]);
    late.waitsFor = 'the audience index: built anew';
    expect(await asker.waitsFor()).toEqual([]);
  });

  it('has to know the secret', async () => {
    const { url } = await startPartition({ number: 0, of: 1 }, countingTo(5));
    const stranger = asking([url], 'another-secret-of-enough-characters');
    await expect(stranger.count(earth)).rejects.toMatchObject(unavailable);
    const ask = (headers: Record<string, string>) =>
      fetch(url + countPath, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ partition: 0, of: 1, targets: [earth] }),
      });
    expect((await ask({})).status).toBe(401);
    // An organisation's own context, through the gateway, is no such proof.
    expect((await ask(signedCaller({ audience: 'pricing' }))).status).toBe(401);
  });
});
