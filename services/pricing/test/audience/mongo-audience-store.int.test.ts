/** How MongoDB runs the queries of the engine "mongo". */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { openMongoAudience } from '../../src/audience/mongo-audience-store.ts';
import { generateMembers } from '../../src/domain/members/generated-members.ts';
import { openMembersStore } from '../../src/members/members-store.ts';
import { firstOf } from './audience-under-test.ts';

let database: TestMongo;
let mongo: Mongo;

beforeAll(async () => {
  database = await createTestMongo();
  mongo = await startWhenStoresServe(() =>
    openMongo({ url: database.url, logger: silentLogger, metrics: createMetrics('pricing') }),
  );
});
afterAll(async () => {
  await mongo[Symbol.asyncDispose]();
  await database.dispose();
});

it('a count uses the 2dsphere index, which contains only active members without a ban', async () => {
  await startWhenStoresServe(openMongoAudience(mongo.connection).prepare);
  await openMembersStore(mongo.connection).write(firstOf([...generateMembers({ count: 2_000, seed: 1 })]));
  const plan = await mongo.connection
    .collection('members')
    .find({
      active: true,
      banned: false,
      position: { $geoWithin: { $centerSphere: [[-0.1278, 51.5074], 0.0025] } },
    })
    .explain('executionStats');
  expect(JSON.stringify(plan.queryPlanner)).toContain('"indexName":"audience"');
  expect(plan.executionStats.totalDocsExamined).toBeLessThan(500);
});
