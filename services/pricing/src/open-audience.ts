/** Which engine counts, with what each needs around it. */
import type { Logger } from '@offer-ads/platform/logging';
import type { Metrics } from '@offer-ads/platform/metrics';
import type { Mongo } from '@offer-ads/platform/mongo';
import { startIndexedAudience } from './audience/indexed-audience.ts';
import { openMembersFeed } from './audience/members-feed-store.ts';
import type { Audience } from './audience-engine.ts';
import { keepTrying } from './growing-pauses.ts';
import { openMongoAudience } from './mongo-audience-store.ts';

export type AudienceEngineName = 'index' | 'mongo';

/** Returns at once; `waitsFor` tells when it counts. */
export function openAudience(o: {
  readonly engine: AudienceEngineName;
  readonly mongo: Mongo;
  readonly snapshotFolder: string | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Audience {
  if (o.engine === 'mongo') return audienceInMongo(o);
  return startIndexedAudience({ ...o, feed: openMembersFeed(o.mongo.connection, o.metrics) });
}

function audienceInMongo({ mongo, logger }: { readonly mongo: Mongo; readonly logger: Logger }): Audience {
  const audience = openMongoAudience(mongo.connection);
  const stopping = new AbortController();
  let isPrepared = false;
  // Of many millions the index takes longer to build than a call may wait for it; asking again waits on.
  const prepared = keepTrying(audience.prepare, {
    signal: stopping.signal,
    onFailure: (error) => logger.warn({ error }, 'the 2dsphere index is not there yet'),
  }).then(
    () => {
      isPrepared = true;
    },
    () => {},
  );
  return {
    count: audience.count,
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
