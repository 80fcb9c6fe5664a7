/** Opens the configured audience engine with everything that it needs. */
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { expireTombstones, roundKeptPositions } from '../members/kept-members-store.ts';
import type { Audience } from './audience.ts';
import { unreadableMembers } from './audience-metrics.ts';
import { buildInThread } from './build-in-thread.ts';
import { startGridAudience } from './grid-audience.ts';
import { openMembersFeed } from './members-feed-store.ts';
import { openMongoAudience } from './mongo-audience-store.ts';

export type AudienceEngineName = 'index' | 'mongo';

type Options = {
  readonly engine: AudienceEngineName;
  readonly mongo: Mongo;
  readonly mongoUrl: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Returns at once; `waitsFor` shows when it can count. */
export async function openAudience(o: Options): Promise<Audience> {
  await using opened = new AsyncDisposableStack();
  // Resuming after a long time, or building an index, can take MongoDB longer than the usual timeout.
  const patient = opened.use(await openMongo({ ...o, url: o.mongoUrl, patient: true }));
  const kept = opened.use(bringUpToDate({ ...o, patient }));
  const audience = opened.use(
    o.engine === 'mongo' ? audienceInMongo({ ...o, patient }) : audienceInMemory({ ...o, patient }),
  );
  const running = opened.move();
  return {
    ...audience,
    // Positions are rounded when they are read into memory; MongoDB counts with the stored ones, so these must be rounded first.
    waitsFor: async () =>
      o.engine === 'mongo' && !kept.isDone() ? ['positions to be rounded'] : audience.waitsFor(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function audienceInMemory(o: Options & { readonly patient: Mongo }): Audience {
  const { mongoUrl } = o;
  return startGridAudience({
    ...o,
    feed: openMembersFeed(o.patient.connection, unreadableMembers(o.metrics)),
    build: (from, progress) =>
      from === 'mongo'
        ? buildInThread({ mongoUrl }, [], progress)
        : buildInThread({ older: from.older }, from.changed, progress),
  });
}

/** Runs in the background, because the first time it reads every member. */
function bringUpToDate(o: { readonly patient: Mongo; readonly logger: Logger }): AsyncDisposable & {
  readonly isDone: () => boolean;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isDone = false;
  async function work(): Promise<void> {
    const members = await keepTrying(
      async () => {
        await expireTombstones(o.patient.connection);
        return roundKeptPositions(o.patient.connection, signal);
      },
      { signal, onFailure: (error) => o.logger.warn({ error }, 'positions in MongoDB are not rounded yet') },
    );
    isDone = true;
    if (members > 0) o.logger.info({ members }, 'positions of members were rounded in MongoDB');
  }
  const done = work().catch(() => {});
  return {
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await done;
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
