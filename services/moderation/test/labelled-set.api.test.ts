/** That the model really decides: through the door of the service, on pictures made here, with one threshold and another. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Thresholds } from '../src/domain/decision.ts';
import { type Model, openModel } from '../src/model/nsfwjs-model.ts';
import { cleanPicture, looksAt } from '../src/pictures/pictures.ts';
import { type Labelled, labelledSet } from './labelled-set.ts';
import { type ModerationUnderTest, moderationUnderTest } from './moderation-under-test.ts';

let under: ModerationUnderTest;
let model: Model;
let set: readonly (Labelled & { readonly explicit: number })[];
beforeAll(async () => {
  model = await openModel();
  under = await moderationUnderTest({}, model);
  const measured: (Labelled & { explicit: number })[] = [];
  for (const picture of await labelledSet(model))
    measured.push({ ...picture, explicit: await explicitness(picture.file) });
  set = measured;
}, 240_000);
afterAll(async () => {
  await under?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

async function explicitness(file: Buffer): Promise<number> {
  const room = async () => {};
  const { picture } = await cleanPicture(file, room);
  const looks = await model.score(await looksAt(picture, room), new AbortController().signal);
  return Math.max(...looks.map(({ explicit }) => explicit));
}

/** What the service says of every picture of the set. */
async function verdicts({ explicit, suggestive }: Thresholds): Promise<Record<string, string>> {
  await using service = await under.another({
    EXPLICIT_THRESHOLD: explicit,
    SUGGESTIVE_THRESHOLD: suggestive,
  });
  const found: Record<string, string> = {};
  for (const { name, file } of set) found[name] = (await service.upload(file)).verdict;
  return found;
}

const expected = (isRefused: (picture: (typeof set)[number]) => boolean) =>
  Object.fromEntries(set.map((picture) => [picture.name, isRefused(picture) ? 'refused' : 'allowed']));
const never = 1.1;

describe('the labelled set', () => {
  it('is told apart at the usual thresholds', async () => {
    expect(await verdicts({ explicit: 0.6, suggestive: 0.9 })).toEqual(expected(({ safe }) => !safe));
  });

  it('is cut wherever the threshold lies', async () => {
    const sorted = set.map(({ explicit }) => explicit).toSorted((one, other) => one - other);
    const threshold = sorted[Math.floor(sorted.length / 2)] ?? 0;
    expect(await verdicts({ explicit: threshold, suggestive: never })).toEqual(
      expected(({ explicit }) => explicit >= threshold),
    );
  });
});
