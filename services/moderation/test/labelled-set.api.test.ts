/** That the model really decides: through the door of the service, on pictures made here, with one threshold and another. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import type { Thresholds } from '../src/domain/decision.ts';
import { type Model, openModel } from '../src/model/nsfwjs-model.ts';
import { cleanPicture, looksAt } from '../src/pictures/pictures.ts';
import { startModeration } from '../src/service.ts';
import { type Labelled, labelledSet } from './labelled-set.ts';
import { verdictIn } from './verdict-in.ts';

let mongo: TestMongo;
let model: Model;
let set: readonly (Labelled & { readonly explicit: number })[];
beforeAll(async () => {
  mongo = await createTestMongo();
  model = await openModel();
  const measured: (Labelled & { explicit: number })[] = [];
  for (const picture of await labelledSet(model))
    measured.push({ ...picture, explicit: await explicitness(picture.file) });
  set = measured;
}, 240_000);
afterAll(async () => {
  await model?.[Symbol.asyncDispose]();
  await mongo?.dispose();
});

async function explicitness(file: Buffer): Promise<number> {
  const room = async () => {};
  const { picture } = await cleanPicture(file, room);
  const looks = await model.score(await looksAt(picture, room), new AbortController().signal);
  return Math.max(...looks.map(({ explicit }) => explicit));
}

/** What the service says of every picture of the set. */
async function verdicts(thresholds: Thresholds): Promise<Record<string, string>> {
  await using service = await startWhenStoresServe(() =>
    startModeration(
      {
        HOST: '127.0.0.1',
        PORT: 0,
        LOG_LEVEL: 'silent',
        MONGO_URL: mongo.url,
        ADMIN_TOKEN_HASHES: adminTokenHashes,
        AUDIT_RETENTION_DAYS: 730,
        MODERATION_CONTEXT_SECRET: testContextSecret,
        EXPLICIT_THRESHOLD: thresholds.explicit,
        SUGGESTIVE_THRESHOLD: thresholds.suggestive,
        PICTURES_AT_ONCE: 1,
        MAX_WAITING: 4,
        PICTURE_SECONDS_PER_HOUR: 3_600,
      },
      // The service does not end what the tests share.
      { logger: silentLogger, model: { ...model, [Symbol.asyncDispose]: async () => {} } },
    ),
  );
  const found: Record<string, string> = {};
  for (const { name, file } of set) found[name] = (await ask(service.url, file)).verdict;
  return found;
}

async function ask(url: string, file: Buffer): Promise<VerdictReply> {
  const response = await patiently(() =>
    fetch(`${url}/internal/verdicts`, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'moderation' }), 'content-type': 'application/octet-stream' },
      body: new Uint8Array(file),
    }),
  );
  return verdictIn(response);
}

const expected = (isRefused: (picture: (typeof set)[number]) => boolean) =>
  Object.fromEntries(set.map((picture) => [picture.name, isRefused(picture) ? 'refused' : 'allowed']));
const never = 1.1;

describe('the labelled set', () => {
  it('is told apart at the usual thresholds', async () => {
    expect(await verdicts({ explicit: 0.6, suggestive: 0.9 })).toEqual(expected(({ safe }) => !safe));
  });

  it('is allowed as a whole above what the model makes of the worst', async () => {
    const worst = Math.max(...set.map(({ explicit }) => explicit));
    expect(await verdicts({ explicit: worst + 0.001, suggestive: never })).toEqual(expected(() => false));
  });

  it('is refused as a whole from what the model makes of the most harmless', async () => {
    const least = Math.min(...set.map(({ explicit }) => explicit));
    expect(await verdicts({ explicit: least, suggestive: never })).toEqual(expected(() => true));
  });

  it('is cut wherever the threshold lies', async () => {
    const sorted = set.map(({ explicit }) => explicit).toSorted((one, other) => one - other);
    const threshold = sorted[Math.floor(sorted.length / 2)] ?? 0;
    expect(await verdicts({ explicit: threshold, suggestive: never })).toEqual(
      expected(({ explicit }) => explicit >= threshold),
    );
  });
});
