/** Opens the configured audience engine with everything that it needs. */

import { join } from 'node:path';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { Partition } from '../domain/members/partition.ts';
import { coarsenKeptPositions, expireTombstones } from '../members/kept-members-store.ts';
import type { Audience } from './audience-engine.ts';
import { startIndexedAudience } from './indexed-audience.ts';
import { openMembersFeed } from './members-feed-store.ts';
import { openMongoAudience } from './mongo-audience-store.ts';
import { openPartitionedAudience, type Partitions } from './partitioned-audience.ts';

export type AudienceEngineName = 'index' | 'mongo';

type IndexOptions = {
  readonly mongoUrl: string;
  readonly snapshotFolder: string | undefined;
  readonly positionDecimals: number;
  /** Runs whenever an index is complete, before it counts. */
  readonly onComplete?: (() => void) | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Returns at once; `waitsFor` shows when it can count. */
export async function openAudience(
  o: IndexOptions & {
    readonly engine: AudienceEngineName;
    /** The processes that count instead of this one. */
    readonly partitions?: Partitions | undefined;
    readonly mongo: Mongo;
  },
): Promise<Audience> {
  await using opened = new AsyncDisposableStack();
  // Resuming after a long time, or building an index, can take MongoDB longer than the usual timeout.
  const patient = opened.use(await openMongo({ ...o, url: o.mongoUrl, patient: true }));
  const rounding = opened.use(roundKeptPositions({ ...o, patient }));
  const audience = opened.use(
    o.partitions !== undefined
      ? openPartitionedAudience({ ...o, ...o.partitions })
      : o.engine === 'mongo'
        ? audienceInMongo({ ...o, patient })
        : startIndexedAudience({
            ...o,
            feed: openMembersFeed(patient.connection, o.metrics, o.positionDecimals),
          }),
  );
  const running = opened.move();
  return {
    ...audience,
    // The index rounds the positions that it reads; MongoDB counts with the stored ones, so these must be rounded first.
    waitsFor: async () =>
      o.engine === 'mongo' && o.partitions === undefined && !rounding.isDone()
        ? ['positions to be rounded']
        : audience.waitsFor(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The index of one partition. The processes that ask for its counts round the positions in MongoDB. */
export async function openPartition(o: IndexOptions & { readonly partition: Partition }): Promise<Audience> {
  const { partition, snapshotFolder: folder } = o;
  await using opened = new AsyncDisposableStack();
  const patient = opened.use(await openMongo({ ...o, url: o.mongoUrl, patient: true }));
  const audience = opened.use(
    startIndexedAudience({
      ...o,
      snapshotFolder: folder && join(folder, `${partition.number}-of-${partition.of}`),
      feed: openMembersFeed(patient.connection, o.metrics, o.positionDecimals, partition),
    }),
  );
  const running = opened.move();
  return { ...audience, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Runs in the background, because it reads every member. */
function roundKeptPositions(o: {
  readonly patient: Mongo;
  readonly positionDecimals: number;
  readonly logger: Logger;
}): AsyncDisposable & { readonly isDone: () => boolean } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isDone = false;
  async function round(): Promise<void> {
    const members = await keepTrying(
      async () => {
        await expireTombstones(o.patient.connection);
        return coarsenKeptPositions(o.patient.connection, { decimals: o.positionDecimals, signal });
      },
      { signal, onFailure: (error) => o.logger.warn({ error }, 'positions in MongoDB are not rounded yet') },
    );
    isDone = true;
    if (members > 0) o.logger.info({ members }, 'positions of members were rounded in MongoDB');
  }
  const rounded = round().catch(() => {});
  return {
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await rounded;
    },
  };
}

function audienceInMongo({
  mongo,
  patient,
  logger,
}: {
  readonly mongo: Mongo;
  readonly patient: Mongo;
  readonly logger: Logger;
}): Audience {
  const stopping = new AbortController();
  let isPrepared = false;
  const prepared = prepare().catch(() => {});
  async function prepare(): Promise<void> {
    await keepTrying(openMongoAudience(patient.connection).prepare, {
      signal: stopping.signal,
      onFailure: (error) => logger.warn({ error }, 'the 2dsphere index is not there yet'),
    });
    isPrepared = true;
  }
  return {
    count: openMongoAudience(mongo.connection).count,
    waitsFor: async () => {
      if (!(await mongo.healthy())) return ['MongoDB does not answer'];
      return isPrepared ? [] : ['the 2dsphere index of members to be built'];
    },
    includesWritten: async () => true,
    check: null,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await prepared;
    },
  };
}
