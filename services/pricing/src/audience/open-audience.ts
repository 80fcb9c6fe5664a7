/** Opens the configured audience engine with everything that it needs. */
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { expireTombstones } from '../members/members-store.ts';
import type { Audience } from './audience.ts';
import { unreadableMembers } from './audience-metrics.ts';
import { buildInThread } from './build-in-thread.ts';
import { startGridAudience } from './grid-audience.ts';
import { openMembersFeed } from './members-feed-store.ts';
import { openMongoAudience } from './mongo-audience-store.ts';

type Options = {
  readonly engine: 'index' | 'mongo';
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
  opened.use(
    untilDone((signal) =>
      keepTrying(() => expireTombstones(patient.connection), {
        signal,
        onFailure: (error) => o.logger.warn({ error }, 'tombstones of members do not expire yet'),
      }),
    ),
  );
  const audience = opened.use(
    o.engine === 'mongo' ? audienceInMongo({ ...o, patient }) : audienceInMemory({ ...o, patient }),
  );
  const running = opened.move();
  return { ...audience, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function audienceInMemory(o: Options & { readonly patient: Mongo }): Audience {
  return startGridAudience({
    ...o,
    feed: openMembersFeed(o.patient.connection, unreadableMembers(o.metrics)),
    build: (from, progress) =>
      from === 'mongo'
        ? buildInThread({ mongoUrl: o.mongoUrl }, [], progress)
        : buildInThread({ older: from.older }, from.changed, progress),
  });
}

function audienceInMongo({ mongo, patient, logger }: Options & { readonly patient: Mongo }): Audience {
  const index = untilDone((signal) =>
    keepTrying(openMongoAudience(patient.connection).prepare, {
      signal,
      onFailure: (error) => logger.warn({ error }, 'the 2dsphere index is not there yet'),
    }),
  );
  return {
    count: openMongoAudience(mongo.connection).count,
    waitsFor: async () => {
      if (!(await mongo.healthy())) return ['MongoDB does not answer'];
      return index.isDone() ? [] : ['the 2dsphere index of members to be built'];
    },
    includesWritten: async () => true,
    check: null,
    [Symbol.asyncDispose]: index[Symbol.asyncDispose],
  };
}

/** Work that goes on in the background until it is done or disposed. */
function untilDone(work: (signal: AbortSignal) => Promise<void>) {
  const stopping = new AbortController();
  let isDone = false;
  const done = work(stopping.signal).then(
    () => void (isDone = true),
    () => {},
  );
  return {
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await done;
    },
  };
}
