/** One of the two engines, with its own database, opened as the service opens it. */
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Connection } from 'mongoose';
import type { Audience } from '../../src/audience/audience.ts';
import { openAudience } from '../../src/audience/open-audience.ts';
import { type MemberChange, openMembersStore } from '../../src/members/members-store.ts';
import { openMongoUnderTest } from '../mongo-under-test.ts';

export type AudienceUnderTest = {
  readonly audience: Audience;
  readonly connection: Connection;
  /** Returns when counts include the changes. */
  readonly write: (changes: readonly MemberChange[]) => Promise<void>;
  readonly forgetAll: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function openAudienceUnderTest(engine: 'index' | 'mongo'): Promise<AudienceUnderTest> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openMongoUnderTest());
  const mongo = await database.connect();
  const store = openMembersStore(mongo.connection);
  const foundation = { logger: silentLogger, metrics: createMetrics('pricing') };
  const audience = opened.use(await openAudience({ engine, mongo, mongoUrl: database.url, ...foundation }));
  await eventually(async () => {
    const waitsFor = await audience.waitsFor();
    if (waitsFor.length > 0) throw new Error(waitsFor.join());
  });
  const caughtUp = () =>
    eventually(async () => {
      if (!(await audience.includesWritten())) throw new Error('the audience did not catch up');
    });
  const running = opened.move();
  return {
    audience,
    connection: mongo.connection,
    write: async (changes) => {
      for (let start = 0; start < changes.length; start += 1_000)
        await eventually(() => store.write(changes.slice(start, start + 1_000)));
      await caughtUp();
    },
    forgetAll: async () => {
      await mongo.connection.collection('members').deleteMany({});
      await caughtUp();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
