import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { type Decoder, startDecoder } from './decoder.ts';

const oddProcess = new URL('../../test/odd-decoder-process.ts', import.meta.url);
const limits = { taskMs: 1_000, aloneMs: 60_000, maxBytes: 2 ** 28 };
const patientMs = 60_000;
let decoder: Decoder | undefined;
afterEach(async () => {
  await decoder?.[Symbol.asyncDispose]();
  decoder = undefined;
});

/** Each upload is a word that tells the process what to do; the process answers with its id. */
async function oddDecoder(given: Partial<typeof limits> = {}) {
  const metrics = createMetrics('moderation');
  decoder = await startDecoder({
    logger: silentLogger,
    metrics,
    atOnce: 2,
    limits: { ...limits, ...given },
    file: oddProcess,
  });
  const { cleanPicture } = decoder;
  return {
    open: (word: string) => cleanPicture(Buffer.from(word)) as Promise<unknown> as Promise<number>,
    metrics,
  };
}

describe('a picture that harms the process that opens it', () => {
  it.each([
    ['hangs', {}, { status: 422 }, 'time'],
    ['grows', { taskMs: patientMs, aloneMs: patientMs }, { problem: 'too-much-memory' }, 'memory'],
    ['crashes', { taskMs: patientMs, aloneMs: patientMs }, { problem: 'damaged' }, 'crash'],
  ] as const)(
    'and %s is refused, and those beside it get their verdicts',
    async (word, given, refusal, cause) => {
      const { open, metrics } = await oddDecoder(given);
      const before = await open('ordinary');
      const bad = open(word);
      const neighbours = [open('ordinary'), open('ordinary')];
      await expect(bad).rejects.toMatchObject(refusal);
      for (const neighbour of await Promise.all(neighbours)) expect(neighbour).not.toBe(before);
      expect(await open('ordinary')).not.toBe(before);
      expect(existsSync(`/proc/${before}`)).toBe(false);
      expect(await metrics.registry.metrics()).toMatch(
        new RegExp(`deaths_total\\{[^}]*cause="${cause}"[^}]*\\} [12]\\n`),
      );
    },
  );
});

describe('the process that opens pictures', () => {
  it('opens them, and is not there any more once the service has stopped', async () => {
    decoder = await startDecoder({ logger: silentLogger, metrics: createMetrics('moderation'), atOnce: 2 });
    const clean = await decoder.cleanPicture(await photographLikeJpeg());
    if (!clean.ok) throw new Error(clean.problem);
    expect((await decoder.looksAt(clean.picture))[0]).toHaveLength(224 * 224 * 3);
    const shape = { side: 640, fit: 'contain', jpegQuality: 90 } as const;
    expect((await decoder.looksAt(clean.picture, shape))[0]?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8));
    expect((await decoder.smallCopyOf(clean.picture)).length).toBeGreaterThan(0);
  });

  it('ends with the service, also with one that is killed, whatever it is busy with', async () => {
    const { open } = await oddDecoder({ taskMs: patientMs });
    const pid = await open('ordinary');
    const left = open('hangs');
    await Promise.all([
      expect(left).rejects.toMatchObject({ status: 503 }),
      decoder?.[Symbol.asyncDispose](),
    ]);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await expect(open('ordinary')).rejects.toMatchObject({ status: 503 });

    const real = fork(new URL('./decoder-process.ts', import.meta.url), { execArgv: [] });
    await new Promise((resolve) => real.once('message', resolve));
    const exited = new Promise((resolve) => real.once('exit', (_code, signal) => resolve(signal)));
    real.disconnect();
    expect(await exited).toBe('SIGKILL');
  });

  it('that cannot start fails the start of the service', async () => {
    const file = new URL('../no-such-file.ts', import.meta.url);
    const metrics = createMetrics('moderation');
    await expect(startDecoder({ logger: silentLogger, metrics, atOnce: 2, file })).rejects.toThrow(/aborted/);
  });
});
