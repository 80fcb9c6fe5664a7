/** One of the two engines, with its own database, opened as the service opens it. */

import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Audience } from '../../src/audience/audience.ts';
import { openAudience } from '../../src/audience/open-audience.ts';
import { type MemberChange, openMembersStore } from '../../src/members/members-store.ts';

export type AudienceUnderTest = AsyncDisposable & {
  readonly audience: Audience;
  /** Returns when counts include the changes. */
  readonly write: (changes: readonly MemberChange[]) => Promise<void>;
  readonly forgetAll: () => Promise<void>;
};

export async function openAudienceUnderTest(engine: 'index' | 'mongo'): Promise<AudienceUnderTest> {
  await using opened = new AsyncDisposableStack();
  const database = await createTestMongo();
  opened.defer(database.dispose);
  const foundation = { logger: silentLogger, metrics: createMetrics('pricing') };
  const mongo = opened.use(await startWhenStoresServe(() => openMongo({ url: database.url, ...foundation })));
  const store = openMembersStore(mongo.connection);
  const audience = opened.use(
    await openAudience({
      engine,
      mongo,
      mongoUrl: database.url,
      ...foundation,
    }),
  );
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

/** The first version of each. */
export function firstOf(members: readonly MemberFacts[]): MemberChange[] {
  return members.map((facts) => ({ facts, version: 1 }));
}
