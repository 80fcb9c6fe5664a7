import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { decide } from '../domain/decision.ts';
import { cleanPicture, looksAt } from '../pictures/pictures.ts';
import { type Model, startModel } from './model.ts';
import { type ModelThread, startModelThread } from './model-thread.ts';

const patient = new AbortController().signal;
let model: Model | undefined;
afterEach(async () => {
  await model?.[Symbol.asyncDispose]();
});

/** Real threads; the test can kill them, and can delay those that replace them. */
async function start(
  threads: number,
  killable: ModelThread[] = [],
  replacing: Promise<void> = Promise.resolve(),
): Promise<Model> {
  model = await startModel({
    threads,
    logger: silentLogger,
    metrics: createMetrics('moderation'),
    startThread: async (read) => {
      if (killable.length >= threads) await replacing;
      const thread = await startModelThread(read);
      killable.push(thread);
      return thread;
    },
  });
  return model;
}

async function looks(upload: Buffer): Promise<readonly Uint8Array[]> {
  const result = await cleanPicture(upload, 60_000);
  if (!result.ok) throw new Error(result.problem);
  return looksAt(result.picture);
}

describe('the model', () => {
  it('tells a photograph from a picture that looks unsafe', async () => {
    const real = await start(1);
    const [photograph] = await real.score(await looks(await photographLikeJpeg()), patient);
    const [unsafe] = await real.score(await looks(await unsafeLookingPng()), patient);
    if (photograph === undefined || unsafe === undefined) throw new Error('no scores');
    expect(photograph.explicit).toBeLessThan(0.3);
    expect(unsafe.explicit).toBeGreaterThan(0.8);
  });

  it('decides through the thresholds: another threshold, another verdict', async () => {
    const real = await start(1);
    const scores = await real.score(await looks(await unsafeLookingPng()), patient);
    const measured = scores[0]?.explicit ?? 0;
    const verdictAt = (explicit: number) => decide(scores, { explicit, suggestive: 1.1 }).verdict;
    expect(verdictAt(measured - 0.01)).toBe('refused');
    expect(verdictAt(measured + 0.01)).toBe('allowed');
  });

  it('gives one result for each look, the same for the same look', async () => {
    const real = await start(2);
    const [look = new Uint8Array()] = await looks(await photographLikeJpeg());
    const scores = await real.score([look, look, look], patient);
    expect(scores).toHaveLength(3);
    expect(scores[1]).toEqual(scores[0]);
    expect(Object.values(scores[0]?.labels ?? {}).reduce((sum, score) => sum + score)).toBeCloseTo(1, 3);
  });

  it('answers 503 for the picture on which its thread is killed, and goes on with the next', async () => {
    const threads: ModelThread[] = [];
    const real = await start(1, threads);
    const picture = await looks(await photographLikeJpeg());
    const cut = real.score(Array(16).fill(picture[0]), patient);
    await Promise.all([expect(cut).rejects.toMatchObject({ status: 503 }), threads[0]?.terminate()]);
    expect(await real.score(picture, patient)).toHaveLength(1);
    expect(threads).toHaveLength(2);
  });

  it('lets go of a picture when it has answered, however long its caller would have waited', async () => {
    const real = await start(1);
    const { signal } = new AbortController();
    await real.score(await looks(await photographLikeJpeg()), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is not ready while no thread is alive', async () => {
    const threads: ModelThread[] = [];
    const { promise: replacing, resolve: replace } = Promise.withResolvers<void>();
    const real = await start(1, threads, replacing);
    expect(real.ready()).toBe(true);
    await threads[0]?.terminate();
    await eventually(() => expect(real.ready()).toBe(false));
    replace();
    await eventually(() => expect(real.ready()).toBe(true));
  });

  it('answers 503 to whoever no longer waits for a thread', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
    const stuck: ModelThread = {
      score: () => new Promise(() => {}),
      ended,
      terminate: async () => end(new Error('terminated')),
    };
    model = await startModel({
      threads: 1,
      logger: silentLogger,
      metrics: createMetrics('moderation'),
      startThread: async () => stuck,
    });
    void model.score([], patient);
    const caller = new AbortController();
    const waits = model.score([], caller.signal);
    caller.abort();
    await expect(waits).rejects.toMatchObject({ status: 503 });
    // A caller who disconnected while the picture was being prepared does not wait.
    await expect(model.score([], caller.signal)).rejects.toMatchObject({ status: 503 });
  });
});
