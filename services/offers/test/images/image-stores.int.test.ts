/** What every image store guarantees, and what each does when it fails. */
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
import { contentOf, type ImageStore, newImageName, renditionName } from '../../src/images/images.ts';
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
const databaseId = '0e1d4c5a-6f0a-4b5e-9d53-0d7c1f2a3b4c';
const imageFolder = () => join(folder, 'of', 'images', databaseId);

/** The store of this kind, or the one of these settings. */
async function open(which: ImageStoreSettings['kind'] | ImageStoreSettings): Promise<ImageStore> {
  const opening = typeof which === 'string' ? settings[which]() : which;
  return opened.use(await openImageStore(opening, databaseId, foundation));
}

function awaited(): AbortSignal {
  return createDeadline(10_000).signal(10_000);
}

const content = `${'0'.repeat(64)}-${'0'.repeat(16)}`;
const picture = randomBytes(300_000);
const another = randomBytes(40_000);
const newName = (bytes: Buffer = picture) =>
  newImageName(contentOf(bytes, 'image/png'), { width: 400, height: 300 });

async function put(store: ImageStore, bytes: Buffer = picture): Promise<string> {
  const name = newName(bytes);
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

/** Not toEqual, which compares byte by byte and takes a second. */
function expectSame(bytes: Buffer | null, expected: Buffer): void {
  expect(bytes?.equals(expected)).toBe(true);
}

/** Repeated once if a busy machine let the two seconds run out. */
async function unlessTooSlow<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!isServiceUnavailable(error) || performance.now() - startedAt < STORE_MS) throw error;
    return work();
  }
}

/** The names of all pictures that are there. */
async function all(kind: ImageStoreSettings['kind']): Promise<string[]> {
  const prefix = `${s3.settings.prefix}${databaseId}/`;
  const names =
    kind === 'folder'
      ? await readdir(imageFolder())
      : [...s3.objects.keys()].map((key) => key.replace(prefix, ''));
  return names.toSorted();
}

describe.each(['folder', 'bucket'] as const)('the %s', (kind) => {
  it('returns what was put, also to a later process, once if it was put twice, and nothing under another name', async () => {
    const store = await open(kind);
    const name = await put(store);
    await store.put(name, picture, awaited());
    expectSame(await read(await open(kind), name), picture);
    expect(await all(kind)).toEqual([name]);
    expect(await read(store, newName(another))).toBeNull();
  });

  it('removes one picture and no other, and resolves when it is already removed', async () => {
    const store = await open(kind);
    const [gone, other] = [await put(store), await put(store, another)];
    await store.remove(gone);
    await store.remove(gone);
    expect(await read(store, gone)).toBeNull();
    expectSame(await read(store, other), another);
  });

  it('keeps a rendition beside its picture, and removes each by itself', async () => {
    const store = await open(kind);
    const name = await put(store);
    const rendition = renditionName(name, 160);
    await store.put(rendition, another, awaited());
    expectSame(await read(store, name), picture);
    expectSame(await read(store, rendition), another);
    expect(await all(kind)).toEqual([name, rendition].toSorted());
    await store.remove(rendition);
    expect(await all(kind)).toEqual([name]);
  });

  it('never returns half a picture, however often it is put again meanwhile', async () => {
    const store = await open(kind);
    const name = await put(store);
    const progress = { putting: true };
    const putOn = async () => {
      for (let count = 0; count < 20; count += 1) {
        const bytes = count % 2 === 0 ? another : picture;
        await unlessTooSlow(() => store.put(name, bytes, awaited()));
      }
      progress.putting = false;
    };
    const readOn = async () => {
      while (progress.putting) {
        const bytes = await unlessTooSlow(() => read(store, name));
        expect(bytes?.equals(picture) === true || bytes?.equals(another) === true).toBe(true);
      }
    };
    await Promise.all([putOn(), readOn(), readOn()]);
  });

  it.each([
    '../secret',
    '..',
    '',
    'a.png',
    `${content}.svg`,
    `${content}.png`,
    `/${content}-400x300.png`,
    `${content}-400x300_160_160.png`,
    `${content}-400x300_160/../secret.png`,
  ])('is never asked for %j', async (name) => {
    const store = await open(kind);
    await mkdir(imageFolder(), { recursive: true });
    for (const place of [
      'of/images/secret',
      `of/images/${databaseId}/secret`,
      `of/images/${databaseId}/a.png`,
    ]) {
      await writeFile(join(folder, place), 'not a picture');
    }
    expect(await store.read(name, awaited())).toBeNull();
    await expect(store.put(name, picture, awaited())).rejects.toThrow('not the name');
    expect(s3.asked).toEqual([]);
  });

  it('rejects with the reason of a caller who has disconnected, and stores nothing', async () => {
    const store = await open(kind);
    const gone = callerGone();
    await expect(store.put(newName(), picture, AbortSignal.abort(gone))).rejects.toBe(gone);
    expect(await all(kind)).toEqual([]);
  });

  it('is the 503 fault while it is away, and serves again when it is back', async () => {
    const store = await open(kind);
    const name = await put(store);
    await takeAway(true);
    await expect(put(store)).rejects.toMatchObject(unavailable);
    await expect(store.read(name, awaited())).rejects.toMatchObject(unavailable);
    await takeAway(false);
    expectSame(await read(store, name), picture);
    await eventually(() => put(store));

    async function takeAway(away: boolean) {
      s3.before = async () => (away ? { status: 503, code: 'ServiceUnavailable' } : undefined);
      const [there, gone] = [imageFolder(), join(folder, 'away')];
      if (kind === 'folder') await (away ? rename(there, gone) : rename(gone, there));
    }
  });
});

describe('the folder', () => {
  it('leaves nothing behind when a picture could not be written whole', async () => {
    const store = await open('folder');
    const late = new AbortController();
    const putting = store.put(newName(), randomBytes(30_000_000), late.signal);
    late.abort(new Error('too late'));
    await expect(putting).rejects.toMatchObject(unavailable);
    await eventually(async () => expect(await readdir(imageFolder())).toEqual([]));
  });
});

describe('the bucket', () => {
  it('gets the type and the bytes under its prefix and the id of the database, signed', async () => {
    const name = await put(await open('bucket'));
    expect([...s3.objects.keys()]).toEqual([`offers/live/${databaseId}/${name}`]);
    const [object] = s3.objects.values();
    expect(object?.contentType).toBe('image/png');
    expectSame(object?.bytes ?? null, picture);
  });

  it.each([
    ['whose key is wrong', { secretAccessKey: 'another secret' }],
    ['that does not exist', { bucket: 'nowhere' }],
    ['in another region', { region: 'eu-test-2' }],
    ['at an address where nothing listens', { endpoint: 'http://127.0.0.1:9' }],
  ])('%s is the 503 fault, and never an absent picture', async (_, wrong) => {
    const store = await open({ kind: 'bucket', ...s3.settings, ...wrong });
    await expect(put(store)).rejects.toMatchObject(unavailable);
    await expect(store.read(newName(), awaited())).rejects.toMatchObject(unavailable);
    expect(s3.objects.size).toBe(0);
  });

  it('is asked again once after a 500', async () => {
    const store = await open('bucket');
    const answers = [{ status: 500, code: 'InternalError' }];
    s3.before = async () => answers.pop();
    expectSame(await read(store, await put(store)), picture);
    expect(s3.asked).toEqual(['PUT', 'PUT', 'GET']);
  });

  it('that hangs: a call ends after two seconds, and after some of them at once', async () => {
    const store = await open('bucket');
    s3.before = () => new Promise(() => {});
    const answers = await inTime(3_000, () =>
      Promise.allSettled(Array.from({ length: 6 }, () => put(store))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
    await inTime(1_900, () => expect(put(store)).rejects.toMatchObject(unavailable));
  });

  it('may send a body for longer than the deadline of its answer', async () => {
    const store = await open('bucket');
    const name = await put(store, randomBytes(3_000_000));
    const answerDue = new AbortController();
    const found = await store.read(name, answerDue.signal);
    answerDue.abort();
    expect(found === null ? null : await buffer(found.bytes)).toHaveLength(3_000_000);
  });
});

describe('a full disk', () => {
  it('is the 503 fault, which names no path', async () => {
    const full: ImageStore = {
      put: () => Promise.reject(Object.assign(new Error('ENOSPC: /data/images'), { code: 'ENOSPC' })),
      read: async () => null,
      remove: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const store = opened.use(guardImageStore(full, foundation));
    await expect(put(store)).rejects.toMatchObject({
      ...unavailable,
      message: 'image store: put failed: ENOSPC',
    });
  });
});
