import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { type Caller, type Decoder, startDecoder } from './decoder.ts';

const oddProcess = new URL('../../test/odd-decoder-process.ts', import.meta.url);
const limits = { taskMs: 1_000, aloneMs: 60_000, maxBytes: 2 ** 28, abandonedMs: 60_000 };
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
  const { tasksFor } = decoder;
  const wholly: Caller = { signal: new AbortController().signal, countProcessorTime: () => {} };
  return {
    open: (word: string, caller: Partial<Caller> = {}) =>
      tasksFor({ ...wholly, ...caller }).cleanPicture(
        Buffer.from(word),
      ) as Promise<unknown> as Promise<number>,
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

describe('a picture for which nobody waits any more', () => {
  const patience = { taskMs: patientMs, aloneMs: patientMs };
  const gone = () => {
    const caller = new AbortController();
    return { signal: caller.signal, leave: () => caller.abort(new Error('the caller has gone')) };
  };

  it('that does not stop ends the process, which counts as no death, and the next one is opened', async () => {
    const { open, metrics } = await oddDecoder({ ...patience, abandonedMs: 100 });
    const before = await open('ordinary');
    const { signal, leave } = gone();
    let countedMs = 0;
    const left = open('hangs', { signal, countProcessorTime: (ms) => (countedMs += ms) });
    leave();
    await expect(left).rejects.toThrow('the caller has gone');
    expect(countedMs).toBeGreaterThanOrEqual(100);
    expect(await open('ordinary')).not.toBe(before);
    expect(await metrics.registry.metrics()).not.toMatch(/deaths_total\{.*\} [1-9]/);
  });

  it('ends no process in which others are opened, and is paid for', async () => {
    const { open } = await oddDecoder({ ...patience, abandonedMs: 0 });
    const before = await open('ordinary');
    const { signal, leave } = gone();
    let countedMs = 0;
    const neighbour = open('lasts');
    const left = open('ordinary', { signal, countProcessorTime: (ms) => (countedMs += ms) });
    leave();
    await expect(left).rejects.toThrow('the caller has gone');
    expect(countedMs).toBe(7);
    expect(await neighbour).toBe(before);
  });

  it('is not begun, if it had to wait', async () => {
    const { open } = await oddDecoder({ ...patience, taskMs: 500 });
    const before = await open('ordinary');
    const { signal, leave } = gone();
    const bad = open('hangs');
    const left = open('ordinary', { signal });
    const neighbour = open('ordinary');
    leave();
    await expect(bad).rejects.toMatchObject({ status: 422 });
    await expect(left).rejects.toThrow('the caller has gone');
    expect(await neighbour).not.toBe(before);
    await expect(open('ordinary', { signal })).rejects.toThrow('the caller has gone');
  });

  it('stops between two steps in the real process, and all its processor time is told', async () => {
    decoder = await startDecoder({ logger: silentLogger, metrics: createMetrics('moderation'), atOnce: 2 });
    const { signal, leave } = gone();
    let countedMs = 0;
    const large = await photographLikeJpeg({ width: 4_000, height: 3_000 });
    const countProcessorTime = (ms: number) => (countedMs += ms);
    const whole = decoder.tasksFor({ signal: new AbortController().signal, countProcessorTime });
    await whole.cleanPicture(large);
    expect(countedMs).toBeGreaterThan(50);
    const left = decoder.tasksFor({ signal, countProcessorTime }).cleanPicture(large);
    leave();
    await expect(left).rejects.toThrow('the caller has gone');
  });
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

  it('that dies without opening anything is started again after growing pauses', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'decoder-'));
    const path = join(folder, 'short-lived.cjs');
    await writeFile(path, `process.send('ready', () => process.exit());`);
    const diedAtMs: number[] = [];
    const { promise: enoughDeaths, resolve } = Promise.withResolvers<void>();
    const error = () => {
      if (diedAtMs.push(performance.now()) === 4) resolve();
    };
    const logger = Object.assign(Object.create(silentLogger), { error });
    const metrics = createMetrics('moderation');
    decoder = await startDecoder({ logger, metrics, atOnce: 2, file: pathToFileURL(path) });
    await enoughDeaths;
    await rm(folder, { recursive: true });
    const [first = 0, , , fourth = 0] = diedAtMs;
    expect(fourth - first).toBeGreaterThanOrEqual(250 + 500 + 1_000);
  });

  it('that cannot start fails the start of the service', async () => {
    const file = new URL('../no-such-file.ts', import.meta.url);
    const metrics = createMetrics('moderation');
    await expect(startDecoder({ logger: silentLogger, metrics, atOnce: 2, file })).rejects.toThrow(/aborted/);
  });
});
