import { describe, expect, it } from '@jest/globals';
import { pngChunk } from '@offer-ads/testing/pictures/pictures';
import type { Decoder } from '../pictures/decoder.ts';
import { createAdmission } from './admission.ts';

const never = new AbortController().signal;
const fail = () => Promise.reject(new Error('must not run'));

/** Of 25 megapixels. */
const largePng = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  pngChunk('IHDR', Buffer.from('00001388000013880802000000', 'hex')),
]);
const ordinary = (organisation: number) => ({ organisation, bytes: new Uint8Array() });
const large = (organisation: number) => ({ organisation, bytes: largePng });

/** Its decoders say what a test wants to hear. */
function admissionOf({ atOnce = 1, maxWaiting = 5, isBusy = false }) {
  const counted: [organisation: number, ms: number][] = [];
  const overBudget = new Set<number>();
  const decoder: Decoder = { run: fail as never, isBusy: () => isBusy, takeProcessorMs: () => 5 };
  const admission = createAdmission({
    decoders: Array.from({ length: atOnce }, () => decoder),
    maxWaiting,
    budget: {
      check: (organisation) => {
        if (overBudget.has(organisation)) throw new Error('over budget');
      },
      count: (organisation, ms) => counted.push([organisation, ms]),
    },
  });
  return { ...admission, counted, overBudget };
}

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { run: () => promise, finish: () => resolve('done') };
}

describe('admission', () => {
  it('lets no more in than there are slots, and the next one when a slot is free', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 5 });
    const first = work();
    let secondBegan = false;
    const one = admission.run(ordinary(1), never, first.run);
    const two = admission.run(ordinary(1), never, async () => {
      secondBegan = true;
      return 'second';
    });
    expect(admission.waiting()).toBe(1);
    expect(secondBegan).toBe(false);
    first.finish();
    expect(await one).toBe('done');
    expect(await two).toBe('second');
  });

  it('says 429 to whoever waited in vain behind pictures of the same organisation, and 503 to others', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 6 });
    const running = work();
    const late = new AbortController();
    const one = admission.run(ordinary(1), never, running.run);
    const [own, other] = [1, 2].map((organisation) =>
      admission.run(ordinary(organisation), late.signal, fail),
    );
    late.abort();
    await expect(own).rejects.toMatchObject({ status: 429 });
    await expect(other).rejects.toMatchObject({ status: 503 });
    running.finish();
    await one;
  });

  it('forgets whoever no longer waits', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 1 });
    const running = work();
    const one = admission.run(ordinary(1), never, running.run);
    const caller = new AbortController();
    const gone = admission.run(ordinary(2), caller.signal, fail);
    caller.abort();
    await expect(gone).rejects.toMatchObject({ status: 503 });
    expect(admission.waiting()).toBe(0);
    running.finish();
    await one;
  });

  it.each([
    ['as long as its picture is being opened, which its own input makes long: 422', true, 422],
    ['while it waits for others: 503', false, 503],
  ])(
    'keeps the slot of work that took too long until it is done, and says %s',
    async (_, isOpening, status) => {
      const admission = admissionOf({ maxWaiting: 0, isBusy: isOpening });
      const running = work();
      const caller = new AbortController();
      const abandoned = admission.run(ordinary(1), caller.signal, running.run);
      caller.abort();
      await expect(abandoned).rejects.toMatchObject({ status });
      await expect(admission.run(ordinary(1), never, async () => 'too early')).rejects.toMatchObject({
        status: 503,
      });
    },
  );

  it('frees the slot of work that failed', async () => {
    const admission = admissionOf({ maxWaiting: 0 });
    await expect(admission.run(ordinary(1), never, () => Promise.reject(new Error('broke')))).rejects.toThrow(
      'broke',
    );
    expect(await admission.run(ordinary(1), never, async () => 'next')).toBe('next');
  });

  it('counts the processor time of each picture for its organisation, and lets none in that has used it up', async () => {
    const admission = admissionOf({});
    const spend = () =>
      admission.run(ordinary(7), never, async ({ countProcessorTime }) => countProcessorTime(3));
    await spend();
    expect(admission.counted).toEqual([
      [7, 3],
      [7, 5],
    ]);
    admission.overBudget.add(7);
    await expect(spend()).rejects.toThrow('over budget');
    // People who review pictures have no such limit.
    await admission.run({ ...ordinary(0), organisation: 'staff' }, never, async () => {});
    expect(admission.counted).toHaveLength(2);
  });

  it('begins a single picture after one of each other organisation, of which one sent a thousand', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 5_000 });
    const running = work();
    const begun: number[] = [];
    const send = (organisation: number) =>
      admission.run(ordinary(organisation), never, async () => begun.push(organisation));
    const all = [
      admission.run(ordinary(9), never, running.run),
      ...Array.from({ length: 1_000 }, () => send(1)),
      send(2),
      ...Array.from({ length: 10 }, () => send(3)),
      send(4),
    ];
    expect(admission.waiting()).toBe(1_012);
    running.finish();
    await Promise.all(all);
    expect(begun.slice(0, 8)).toEqual([1, 2, 3, 4, 1, 3, 1, 3]);
  });

  it('lets nobody overtake an organisation whose turn it is, however many others come', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 10 });
    const begun: number[] = [];
    let works = [work()];
    const send = (organisation: number) =>
      admission.run(ordinary(organisation), never, () => {
        begun.push(organisation);
        const next = work();
        works.push(next);
        return next.run();
      });
    const all: Promise<unknown>[] = [
      admission.run(ordinary(9), never, works[0]?.run ?? fail),
      send(1),
      send(1),
    ];
    for (let comer = 2; comer < 6; comer += 1) {
      all.push(send(comer));
      const [now] = works;
      works = works.slice(1);
      now?.finish();
      await new Promise(setImmediate);
    }
    expect(begun).toEqual([1, 2, 1, 3]);
    for (let left = 0; left < 3; left += 1) {
      works.shift()?.finish();
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  });

  it('finds a slot for a newcomer in the longest queue when all are taken, whose newest picture is told 429', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 4 });
    const running = work();
    const send = (organisation: number) =>
      admission.run(ordinary(organisation), never, async () => organisation);
    const [first, evicted] = [admission.run(ordinary(9), never, running.run), send(1), send(1)].slice(1);
    const others = [send(2), send(3)];
    const newcomer = send(4);
    await expect(evicted).rejects.toMatchObject({ status: 429 });
    await expect(send(5)).rejects.toMatchObject({ status: 503 });
    running.finish();
    expect(await Promise.all([first, ...others, newcomer])).toEqual([1, 2, 3, 4]);
  });

  it('refuses an organisation with 429 whose own pictures fill the queue, and no other', async () => {
    const admission = admissionOf({ maxWaiting: 3 });
    const running = work();
    const run = (organisation: number) =>
      admission.run(ordinary(organisation), never, async () => organisation);
    const [first, ...own] = [admission.run(ordinary(1), never, running.run), run(1), run(1), run(1)];
    await expect(run(1)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 });
    const other = run(2);
    await expect(own[2]).rejects.toMatchObject({ status: 429 });
    running.finish();
    expect(await Promise.all([first, own[0], own[1], other])).toEqual(['done', 1, 1, 2]);
  });

  it('lets large pictures take all slots but one, so that no ordinary picture waits for them', async () => {
    const admission = admissionOf({ atOnce: 2, maxWaiting: 5 });
    const running = work();
    const late = new AbortController();
    const first = admission.run(large(1), never, running.run);
    let secondBegan = false;
    const second = admission.run(large(2), late.signal, async () => {
      secondBegan = true;
    });
    expect(await admission.run(ordinary(3), never, async () => 'served')).toBe('served');
    expect(admission.waiting()).toBe(1);
    expect(secondBegan).toBe(false);
    late.abort();
    // Others were served meanwhile, so it counts for no breaker.
    await expect(second).rejects.toMatchObject({ status: 422 });
    running.finish();
    await first;
    expect(await admission.run(large(2), never, async () => 'next')).toBe('next');
  });

  it('keeps no ordinary picture out however many large ones wait, and refuses one large too many with 429', async () => {
    const admission = admissionOf({ atOnce: 2, maxWaiting: 2 });
    const works = [work(), work()];
    const accepted = [
      admission.run(large(1), never, works[0]?.run ?? fail),
      admission.run(ordinary(2), never, works[1]?.run ?? fail),
      ...[3, 4].map((organisation) => admission.run(large(organisation), never, async () => 'large')),
    ];
    await expect(admission.run(large(5), never, async () => 'too many')).rejects.toMatchObject({
      status: 429,
    });
    accepted.push(admission.run(ordinary(6), never, async () => 'ordinary'));
    for (const { finish } of works) finish();
    expect(await Promise.all(accepted)).toEqual(['done', 'done', 'large', 'large', 'ordinary']);
  });

  it('says 422 to a large picture whose caller had no time left when it came, and 503 to an ordinary one', async () => {
    const admission = admissionOf({ atOnce: 1, maxWaiting: 1 });
    const late = AbortSignal.abort();
    await expect(admission.run(large(1), late, fail)).rejects.toMatchObject({ status: 422 });
    await expect(admission.run(ordinary(1), late, fail)).rejects.toMatchObject({ status: 503 });
  });

  it('lets large pictures in where there is one slot only', async () => {
    const admission = admissionOf({ maxWaiting: 0 });
    expect(await admission.run(large(1), never, async () => 'done')).toBe('done');
  });
});
