import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAudienceIndex } from '../audience-index/audience-index.ts';
import { readSnapshot, type SnapshotHeader, writeSnapshot } from './snapshot-file.ts';

const header: SnapshotHeader = {
  identity: 'the-collection',
  position: '{"_data":"82"}',
  mark: { of: 'replica', number: 7 },
  positionDecimals: 6,
  members: 2,
  writtenAt: '2026-11-20T18:00:00.000Z',
};
const london = { latitude: 51.5, longitude: -0.12 };
const everybody = { ...london, radiusMiles: 30, gender: [], interests: [] };
const never = new AbortController().signal;
const itIsOurs = async () => undefined;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
  file = join(folder, 'audience.snapshot');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function indexOf(members: number) {
  const index = createAudienceIndex();
  for (let memberId = 1; memberId <= members; memberId += 1)
    index.put({ memberId, ...london, gender: 'Male', interests: [memberId] });
  return index;
}

async function written(members = 2): Promise<void> {
  await writeSnapshot(folder, header, indexOf(members), never);
}

describe('a snapshot', () => {
  it('returns the index and its header', async () => {
    await written();
    const snapshot = await readSnapshot(folder, itIsOurs);
    if ('problem' in snapshot) throw new Error(snapshot.problem);
    expect(snapshot.header).toEqual(header);
    expect(snapshot.index.count(everybody)).toBe(2);
    expect(snapshot.index.count({ ...everybody, interests: [2] })).toBe(1);
  });

  it('is replaced as a whole, and nobody but the service may read it', async () => {
    await written(1);
    await written(3);
    expect(await readdir(folder)).toEqual(['audience.snapshot']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const snapshot = await readSnapshot(folder, itIsOurs);
    expect('index' in snapshot && snapshot.index.size().members).toBe(3);
  });

  it('stays as it was when a new one is not finished in time', async () => {
    await written(1);
    await expect(writeSnapshot(folder, header, indexOf(2), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await readdir(folder)).toEqual(['audience.snapshot']);
    const snapshot = await readSnapshot(folder, itIsOurs);
    expect('index' in snapshot && snapshot.index.size().members).toBe(1);
  });

  it('deletes abandoned unfinished files, and leaves those that are being written', async () => {
    const [abandoned, fresh] = ['audience.snapshot.abandoned', 'audience.snapshot.fresh'];
    await writeFile(join(folder, abandoned), '');
    await writeFile(join(folder, fresh), '');
    await utimes(join(folder, abandoned), 0, 0);
    await written();
    expect((await readdir(folder)).toSorted()).toEqual(['audience.snapshot', fresh]);
  });

  it('is refused by its header before its index is read', async () => {
    await written();
    await truncate(file, (await stat(file)).size - 10);
    const isOurs = async ({ identity }: SnapshotHeader) => `${identity} is not ours`;
    expect(await readSnapshot(folder, isOurs)).toEqual({ problem: 'the-collection is not ours' });
  });

  it('that does not exist is reported', async () => {
    expect(await readSnapshot(folder, itIsOurs)).toEqual({ problem: 'there is none' });
  });

  it.each([
    ['is empty', (bytes: Buffer) => bytes.subarray(0, 0)],
    ['has another format', (bytes: Buffer) => Buffer.concat([Buffer.from('OFADAUD0'), bytes.subarray(8)])],
    ['breaks off in its header', (bytes: Buffer) => bytes.subarray(0, 40)],
    [
      'claims an endless header',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(8, 0xff)]),
    ],
  ])('is refused when it %s', async (_, change) => {
    await written();
    await writeFile(file, change(await readFile(file)));
    expect(await readSnapshot(folder, itIsOurs)).toEqual({
      problem: 'the file is no snapshot of this version',
    });
  });

  it('is never used when any byte has changed or the end is missing', async () => {
    await written();
    const sound = await readFile(file);
    for (let place = 0; place < sound.length; place += Math.max(1, Math.floor(sound.length / 97))) {
      const broken = Buffer.from(sound);
      broken[place] = broken[place]! ^ 0x10;
      await writeFile(file, broken);
      await expectNotTaken();
    }
    await writeFile(file, sound.subarray(0, sound.length - 1));
    await expectNotTaken();
    await writeFile(file, sound);
    await appendFile(file, '\0');
    await expectNotTaken();
  });

  /** Refused with a problem text, or by an error of the index. */
  async function expectNotTaken(): Promise<void> {
    const outcome = await readSnapshot(folder, itIsOurs).catch((error: Error) => ({
      problem: error.message,
    }));
    expect(outcome).toEqual({ problem: expect.any(String) });
  }
});
