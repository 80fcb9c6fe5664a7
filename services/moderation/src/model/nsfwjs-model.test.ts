import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { decide } from '../domain/decision.ts';
import { cleanPicture, looksAt } from '../pictures/pictures.ts';
import { openModel } from './nsfwjs-model.ts';

const patient = new AbortController().signal;
const model = forAllTests(() => openModel());
let photograph: Uint8Array;
let unsafe: Uint8Array;
beforeAll(async () => {
  [photograph, unsafe] = [await look(await photographLikeJpeg()), await look(await unsafeLookingPng())];
});

async function look(upload: Buffer): Promise<Uint8Array> {
  const room = async () => {};
  const { picture } = await cleanPicture(upload, room);
  return (await looksAt(picture, room))[0] ?? new Uint8Array();
}

describe('the model', () => {
  it('is the file whose scores were compared with those of nsfwjs itself', () => {
    const file = readFileSync(new URL('../../model/nsfwjs-mobilenet-v2.onnx', import.meta.url));
    expect(createHash('sha256').update(file).digest('hex')).toBe(
      '72e8ad1d5be23c56d7b0b2a27aed9213efd67fb76c588cfa50bf15d150e5c5a6',
    );
  });

  /** The scores of nsfwjs 4.4.0 on TensorFlow.js. */
  const asTrained = [
    [
      'a photograph',
      () => photograph,
      { Drawing: 0.0025, Hentai: 0.00185, Neutral: 0.86475, Porn: 0.12705, Sexy: 0.00385 },
    ],
    [
      'a picture that looks unsafe',
      () => unsafe,
      { Drawing: 0.00048, Hentai: 0.00365, Neutral: 0.07293, Porn: 0.91742, Sexy: 0.00552 },
    ],
  ] as const;

  it.each(asTrained)('gives %s the scores of nsfwjs', async (_what, pixels, labels) => {
    const [scores] = await model.score([pixels()], patient);
    for (const [label, score] of Object.entries(labels)) expect(scores?.labels[label]).toBeCloseTo(score, 3);
  });

  it('decides by the thresholds: another threshold, another verdict', async () => {
    const scores = await model.score([unsafe], patient);
    const measured = scores[0]?.explicit ?? 0;
    const verdictAt = (explicit: number) => decide(scores, { explicit, suggestive: 1.1 }).verdict;
    expect(verdictAt(measured - 0.01)).toBe('refused');
    expect(verdictAt(measured + 0.01)).toBe('allowed');
  });

  it('gives one result for each look, in their order', async () => {
    const scores = await model.score([photograph, unsafe, photograph], patient);
    expect(scores).toHaveLength(3);
    expect(scores[2]).toEqual(scores[0]);
    expect(scores[1]).not.toEqual(scores[0]);
  });

  it('lets other work go on between two looks', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await model.score(Array(20).fill(photograph), patient);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  it('answers 503 when the time is over, and 503 for a picture on which it fails, and then goes on', async () => {
    await expect(model.score([photograph], AbortSignal.abort(new Error('late')))).rejects.toMatchObject({
      status: 503,
    });
    await expect(model.score([photograph.subarray(1)], patient)).rejects.toMatchObject({ status: 503 });
    expect(await model.score([photograph], patient)).toHaveLength(1);
  });
});
