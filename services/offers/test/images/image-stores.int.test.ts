/** What every image store promises, whichever the settings name; and what each does when it cannot. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { callerGone, isServiceUnavailable } from '@offer-ads/platform/process/faults';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { guardImageStore, STORE_MS } from '../../src/images/guard.ts';
import { contentOf, type ImageStore, newImageName } from '../../src/images/images.ts';
import { type ImageStoreSettings, openImageStore } from '../../src/images/open.ts';
import { type S3StandIn, startS3StandIn } from './s3-stand-in.ts';

const foundation = { logger: silentLogger, metrics: createMetrics('test') };
const unavailable = { status: 503, publicBody: { message: 'Service unavailable' }, retryAfterSeconds: 2 };

let opened: AsyncDisposableStack;
let folder: string;
let s3: S3StandIn;
beforeEach(async () => {
  opened = new AsyncDisposableStack();
  folder = opened.adopt(await mkdtemp(join(tmpdir(), 'images-')), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  s3 = opened.use(await startS3StandIn());
});
afterEach(() => opened.disposeAsync());

const settings: Record<ImageStoreSettings['kind'], () => ImageStoreSettings> = {
  folder: () => ({ kind: 'folder', folder: join(folder, 'of', 'images') }),
  bucket: () => ({ kind: 'bucket', ...s3.settings }),
};

async function open(which: ImageStoreSettings): Promise<ImageStore> {
  return opened.use(await openImageStore(which, foundation));
}

function awaited(): AbortSignal {
  return createDeadline(10_000).signal(10_000);
}

const picture = randomBytes(300_000);
const another = randomBytes(40_000);

async function keep(store: ImageStore, bytes: Buffer = picture): Promise<string> {
  const name = newImageName(contentOf(bytes, 'image/png'));
  await store.put(name, bytes, awaited());
  return name;
}

async function read(store: ImageStore, name: string): Promise<Buffer | null> {
  const found = await store.read(name, awaited());
  if (found === null) return null;
  const bytes = await buffer(found.bytes);
  expect(bytes).toHaveLength(found.sizeBytes);
  return bytes;
}

/** By hand, because to compare them number by number takes a second. */
function expectSame(bytes: Buffer | null, expected: Buffer): void {
  expect(bytes?.equals(expected)).toBe(true);
}

/** Once more for whoever a machine that stood still has kept waiting for two seconds. */
async function unlessTooSlow<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!isServiceUnavailable(error) || performance.now() - startedAt < STORE_MS) throw error;
    return work();
  }
}

async function pages(store: ImageStore): Promise<string[][]> {
  const found: string[][] = [];
  for await (const page of store.list()) found.push([...page]);
  return found;
}

async function all(store: ImageStore): Promise<string[]> {
  return (await pages(store)).flat().toSorted();
}

describe.each(['folder', 'bucket'] as const)('the %s', (kind) => {
  it('gives back what it was given, also to a process that comes later', async () => {
    const name = await keep(await open(settings[kind]()));
    expectSame(await read(await open(settings[kind]()), name), picture);
  });

  it('has nothing under a name that was never kept', async () => {
    const store = await open(settings[kind]());
    await keep(store);
    expect(await read(store, newImageName(contentOf(another, 'image/png')))).toBeNull();
  });

  it('keeps a picture twice as once', async () => {
    const store = await open(settings[kind]());
    const name = await keep(store);
    await store.put(name, picture, awaited());
    expectSame(await read(store, name), picture);
    expect(await all(store)).toEqual([name]);
  });

  it('removes one picture and no other, and is content when it is gone already', async () => {
    const store = await open(settings[kind]());
    const [gone, kept] = [await keep(store), await keep(store, another)];
    await store.remove(gone);
    await store.remove(gone);
    expect(await read(store, gone)).toBeNull();
    expectSame(await read(store, kept), another);
  });

  it('lists everything that was kept', async () => {
    const store = await open(settings[kind]());
    expect(await all(store)).toEqual([]);
    s3.mostKeys = 2;
    const names = await Promise.all(Array.from({ length: 5 }, () => keep(store, randomBytes(10))));
    expect(await all(store)).toEqual(names.toSorted());
  });

  it('gives its mark back, has none before, and never lists it', async () => {
    const store = await open(settings[kind]());
    expect(await store.readMark()).toBeNull();
    await store.writeMark('a-database');
    await store.writeMark('another-database');
    expect(await (await open(settings[kind]())).readMark()).toBe('another-database');
    expect(await all(store)).toEqual([]);
  });

  it('never shows half a picture, however often it is kept anew meanwhile', async () => {
    const store = await open(settings[kind]());
    const name = await keep(store);
    const progress = { keeping: true };
    const keepOn = async () => {
      for (let count = 0; count < 20; count += 1) {
        const bytes = count % 2 === 0 ? another : picture;
        await unlessTooSlow(() => store.put(name, bytes, awaited()));
      }
      progress.keeping = false;
    };
    const readOn = async () => {
      while (progress.keeping) {
        const bytes = await unlessTooSlow(() => read(store, name));
        expect(bytes?.equals(picture) === true || bytes?.equals(another) === true).toBe(true);
      }
    };
    await Promise.all([keepOn(), readOn(), readOn()]);
  });

  it.each([
    '../secret',
    'secret',
    '..',
    '',
    '.',
    'a.png',
    `${'0'.repeat(64)}.png`,
    `${'0'.repeat(64)}-${'0'.repeat(16)}.svg`,
    `/${'0'.repeat(64)}-${'0'.repeat(16)}.png`,
  ])('is never asked for %j', async (name) => {
    const store = await open(settings[kind]());
    await mkdir(join(folder, 'of', 'images'), { recursive: true });
    for (const place of ['of/secret', 'of/images/secret', 'of/images/a.png']) {
      await writeFile(join(folder, place), 'not a picture');
    }
    expect(await store.read(name, awaited())).toBeNull();
    await expect(store.put(name, picture, awaited())).rejects.toThrow('not the name');
    expect(s3.asked).toEqual([]);
  });

  it('tells a caller who has left nothing but that', async () => {
    const store = await open(settings[kind]());
    const gone = callerGone();
    await expect(
      store.put(newImageName(contentOf(picture, 'image/png')), picture, AbortSignal.abort(gone)),
    ).rejects.toBe(gone);
    expect(await all(store)).toEqual([]);
  });

  it('that is away is the fault 503, and serves again once it is back', async () => {
    const store = await open(settings[kind]());
    const name = await keep(store);
    await takeAway(true);
    await expect(keep(store)).rejects.toMatchObject(unavailable);
    await expect(store.read(name, awaited())).rejects.toMatchObject(unavailable);
    await expect(store.readMark()).rejects.toMatchObject(unavailable);
    await takeAway(false);
    expectSame(await read(store, name), picture);
    await eventually(() => keep(store));

    async function takeAway(away: boolean) {
      s3.before = async () => (away ? { status: 503, code: 'ServiceUnavailable' } : undefined);
      const [there, gone] = [join(folder, 'of', 'images'), join(folder, 'away')];
      if (kind === 'folder') await (away ? rename(there, gone) : rename(gone, there));
    }
  });
});

describe('the folder', () => {
  it('shows nobody what a process left unfinished, but lists it, so that it is removed one day', async () => {
    const store = await open(settings.folder());
    const name = await keep(store);
    const unfinished = `.${name}.8d7f9df2-5b3e-4f8e-9c59-0d6f8ad1d7b1`;
    await writeFile(join(folder, 'of', 'images', unfinished), picture.subarray(0, 1_000));
    await writeFile(join(folder, 'of', 'images', 'README'), 'not ours');
    expect(await store.read(unfinished, awaited())).toBeNull();
    expect(await all(store)).toEqual([unfinished, name].toSorted());
    await store.remove(unfinished);
    expect(await all(store)).toEqual([name]);
  });

  it('leaves nothing behind when a picture could not be kept whole', async () => {
    const store = await open(settings.folder());
    const late = new AbortController();
    const kept = store.put(
      newImageName(contentOf(picture, 'image/png')),
      randomBytes(30_000_000),
      late.signal,
    );
    late.abort(new Error('too late'));
    await expect(kept).rejects.toMatchObject(unavailable);
    await eventually(async () => expect(await readdir(join(folder, 'of', 'images'))).toEqual([]));
  });
});

describe('the bucket', () => {
  it('is given type and bytes under its prefix, signed', async () => {
    const name = await keep(await open(settings.bucket()));
    expect([...s3.objects.keys()]).toEqual([`offers/live/${name}`]);
    const [kept] = s3.objects.values();
    expect(kept?.contentType).toBe('image/png');
    expectSame(kept?.bytes ?? null, picture);
  });

  it('may hold what others keep beside the prefix', async () => {
    const store = await open(settings.bucket());
    const name = await keep(store);
    s3.objects.set(`offers/test/${name}`, { bytes: another, contentType: undefined });
    s3.objects.set('offers/live/README', { bytes: another, contentType: undefined });
    expect(await all(store)).toEqual([name]);
  });

  it.each([
    ['whose key is wrong', { secretAccessKey: 'another secret' }],
    ['that does not exist', { bucket: 'nowhere' }],
    ['in another region', { region: 'eu-test-2' }],
    ['at an address where nothing listens', { endpoint: 'http://127.0.0.1:9' }],
  ])('%s is the fault 503 and never an absent picture', async (_, wrong) => {
    const store = await open({ kind: 'bucket', ...s3.settings, ...wrong });
    await expect(keep(store)).rejects.toMatchObject(unavailable);
    await expect(store.read(newImageName(contentOf(picture, 'image/png')), awaited())).rejects.toMatchObject(
      unavailable,
    );
    await expect(pages(store)).rejects.toMatchObject(unavailable);
    expect(s3.objects.size).toBe(0);
  });

  it('is asked once more when it stumbles', async () => {
    const store = await open(settings.bucket());
    const answers = [{ status: 500, code: 'InternalError' }];
    s3.before = async () => answers.pop();
    expectSame(await read(store, await keep(store)), picture);
    expect(s3.asked).toEqual(['PUT', 'PUT', 'GET']);
  });

  it('that hangs is waited for no longer than two seconds, then not at all', async () => {
    const store = await open(settings.bucket());
    s3.before = () => new Promise(() => {});
    const answers = await inTime(3_000, () =>
      Promise.allSettled(Array.from({ length: 6 }, () => keep(store))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
    await inTime(1_900, () => expect(keep(store)).rejects.toMatchObject(unavailable));
  });

  it('goes on with a body that takes longer than an answer may', async () => {
    const store = await open(settings.bucket());
    const name = await keep(store, randomBytes(3_000_000));
    const answerDue = new AbortController();
    const found = await store.read(name, answerDue.signal);
    answerDue.abort();
    expect(found === null ? null : await buffer(found.bytes)).toHaveLength(3_000_000);
  });
});

describe('a full disk', () => {
  it('is the fault 503, which names no path', async () => {
    const full: ImageStore = {
      put: () => Promise.reject(Object.assign(new Error('ENOSPC: /data/images'), { code: 'ENOSPC' })),
      read: async () => null,
      remove: async () => {},
      list: async function* list() {},
      readMark: async () => null,
      writeMark: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const store = opened.use(guardImageStore(full, foundation));
    await expect(keep(store)).rejects.toMatchObject({
      ...unavailable,
      message: 'image store: put failed: ENOSPC',
    });
  });
});
