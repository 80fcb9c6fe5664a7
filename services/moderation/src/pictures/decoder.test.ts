import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { gif, photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { type Decoder, type Decoders, startDecoders } from './decoder.ts';

const oddProcess = new URL('../../test/odd-decoder-process.ts', import.meta.url);
const limits = { taskMs: 60_000, maxBytes: 2 ** 28 };
const awaited = new AbortController().signal;
let decoders: Decoders | undefined;
afterEach(async () => {
  await decoders?.[Symbol.asyncDispose]();
  decoders = undefined;
});

async function start(o: Partial<Parameters<typeof startDecoders>[0]> = {}) {
  const metrics = createMetrics('moderation');
  decoders = await startDecoders({ logger: silentLogger, metrics, slots: 1, ...o });
  const [first, second] = decoders.all as [Decoder, Decoder];
  return { metrics, first, second };
}

/** Each upload is a word that tells a process what to do; the process answers with its id. */
async function odd(given: Partial<typeof limits> & { slots?: number } = {}) {
  const { slots = 1, ...own } = given;
  const { metrics, first, second } = await start({
    slots,
    file: oddProcess,
    limits: { ...limits, ...own },
  });
  const opener =
    (decoder: Decoder) =>
    (word: string, signal = awaited) =>
      decoder.run('clean', [Buffer.from(word)], signal) as Promise<unknown> as Promise<number>;
  return { metrics, first, open: opener(first), openBeside: opener(second ?? first) };
}

describe('a picture that ends the process that opens it', () => {
  it.each([
    ['hangs', { taskMs: 300 }, { status: 422 }, 'time'],
    ['grows', {}, { problem: 'too-much-memory' }, 'memory'],
    ['crashes', {}, { problem: 'damaged' }, 'crash'],
    // By the kernel, for example, when the whole machine is out of memory: it says nothing about the picture.
    ['is killed', {}, { status: 503 }, 'crash'],
  ] as const)(
    'and %s is refused; the one beside it is opened, and so is the next one',
    async (word, given, refusal, cause) => {
      const { open, openBeside, first, metrics } = await odd({ ...given, slots: 2 });
      const [before, beside] = [await open('ordinary'), await openBeside('ordinary')];
      expect(first.takeProcessorMs()).toBe(7);
      const bad = open(word);
      expect(await openBeside('ordinary')).toBe(beside);
      await expect(bad).rejects.toMatchObject(refusal);
      // All the time that it took.
      expect(first.takeProcessorMs()).toBeGreaterThan(0);
      expect(await open('ordinary')).not.toBe(before);
      expect(existsSync(`/proc/${before}`)).toBe(false);
      expect(await metrics.registry.metrics()).toMatch(
        new RegExp(`deaths_total\\{[^}]*cause="${cause}"[^}]*\\} 1\\n`),
      );
    },
  );
});

describe('a picture for which nobody waits any more', () => {
  it('is not begun', async () => {
    const { open, first } = await odd();
    await expect(open('hangs', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(first.isBusy()).toBe(false);
  });
});

describe('pictures that take much memory', () => {
  it('are opened one at a time, in whichever slots, and the wait is not their time', async () => {
    const taskMs = 500;
    const { open, openBeside } = await odd({ slots: 2, taskMs });
    const startedAtMs = performance.now();
    const both = [open('hangs when it has room'), openBeside('hangs when it has room')];
    await Promise.all(both.map((one) => expect(one).rejects.toMatchObject({ status: 422 })));
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(2 * taskMs);
  });

  it('are not opened if nobody waits for them any more', async () => {
    const { open } = await odd();
    // It aborts between the beginning of the task and the question for room.
    const gone = { aborted: true, throwIfAborted: () => {} } as unknown as AbortSignal;
    expect(await open('hangs when it has room', gone)).toBeGreaterThan(0);
  });
});

describe('the processes that open pictures', () => {
  it('open them one after the other, and keep each for its looks and its copy', async () => {
    const { first } = await start();
    const { picture, looks } = await first.run('clean', [await photographLikeJpeg()], awaited);
    expect(looks?.[0]).toHaveLength(224 * 224 * 3);
    expect(first.takeProcessorMs()).toBeGreaterThan(1);
    expect((await first.run('rendition', [picture.bytes, 160], awaited)).length).toBeGreaterThan(0);
    await first.run('clean', [await gif({ frames: 3 })], awaited);
    expect(await first.run('looks', [], awaited)).toHaveLength(3);
    expect((await first.run('smallCopy', [], awaited)).subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8));
    await expect(first.run('clean', [Buffer.from('no picture')], awaited)).rejects.toMatchObject({
      problem: 'not-a-picture',
    });
    await expect(first.run('looks', [], awaited)).rejects.toThrow('has ended');
  });

  it('end with the service, also with one that is killed, whatever they are busy with', async () => {
    const { open } = await odd();
    const pid = await open('ordinary');
    const left = open('hangs');
    await Promise.all([
      expect(left).rejects.toMatchObject({ status: 503 }),
      decoders?.[Symbol.asyncDispose](),
    ]);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await expect(open('ordinary')).rejects.toMatchObject({ status: 503 });

    const real = fork(new URL('./decoder-process.ts', import.meta.url), { execArgv: [] });
    await new Promise((resolve) => real.once('message', resolve));
    const exited = new Promise((resolve) => real.once('exit', (_code, signal) => resolve(signal)));
    real.disconnect();
    expect(await exited).toBe('SIGKILL');
  });

  it('that die without opening anything are started again after growing pauses', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'decoder-'));
    const path = join(folder, 'short-lived.cjs');
    await writeFile(path, `process.send('ready', () => process.exit());`);
    const diedAtMs: number[] = [];
    const { promise: enoughDeaths, resolve } = Promise.withResolvers<void>();
    const error = () => {
      if (diedAtMs.push(performance.now()) === 4) resolve();
    };
    const logger = Object.assign(Object.create(silentLogger), { error });
    await start({ logger, file: pathToFileURL(path) });
    await enoughDeaths;
    await rm(folder, { recursive: true });
    const [first = 0, , , fourth = 0] = diedAtMs;
    expect(fourth - first).toBeGreaterThanOrEqual(250 + 500 + 1_000);
  });

  it('that cannot start fail the start of the service', async () => {
    const file = new URL('../no-such-file.ts', import.meta.url);
    await expect(start({ file })).rejects.toThrow(/aborted|ended/);
  });
});
