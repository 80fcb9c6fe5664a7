import { describe, expect, it } from '@jest/globals';
import { createWorld, randomMember, randomTarget } from '../../../test/audience/random-world.ts';
import {
  AudienceBytesError,
  type AudienceIndex,
  loadAudienceIndex,
  startAudienceBuild,
} from '../audience-index.ts';

async function builtIndex(): Promise<AudienceIndex> {
  const world = createWorld(11, 60);
  const build = startAudienceBuild();
  for (let id = 1; id <= 3_000; id += 1) build.add(randomMember(world, id));
  const index = await build.finish();
  for (let id = 1; id <= 900; id += 1) index.remove(id);
  for (let id = 5_001; id <= 5_500; id += 1) index.put(randomMember(world, id));
  return index;
}

const index = await builtIndex();
const saved = Buffer.concat([...index.save()]);

/** In chunks of irregular sizes, like those of a file or a network. */
async function* portions(bytes: Buffer, size = 70_001): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const load = (bytes: Buffer) => loadAudienceIndex(portions(bytes));

describe('saved bytes', () => {
  it.each(['wasm', 'plain'] as const)(
    'are the same after loading and saving again (%s kernel)',
    async (kernel) => {
      const loaded = await loadAudienceIndex(portions(saved), { kernel });
      expect(Buffer.concat([...loaded.save()]).equals(saved)).toBe(true);
      expect(loaded.size()).toEqual(index.size());
    },
  );

  it('make an index that counts, returns and changes members like the saved one', async () => {
    const loaded = await load(saved);
    const world = createWorld(12, 60);
    for (let each = 0; each < 100; each += 1) {
      const member = randomMember(world, 1 + each * 60);
      for (const either of [loaded, index]) either.put(member);
      const target = randomTarget(world, member);
      expect(loaded.count(target)).toBe(index.count(target));
      expect(loaded.get(each * 50)).toEqual(index.get(each * 50));
    }
    expect(new Set(loaded.memberIds())).toEqual(new Set(index.memberIds()));
  });

  it('do not change when the index changes after saving', async () => {
    const before = await load(saved);
    const chunks = [...before.save()];
    for (let id = 1; id <= 900; id += 1) before.remove(5_000 + id);
    expect(Buffer.concat(chunks).equals(saved)).toBe(true);
  });

  it.each([0, 7, 11, 40, 70_000, saved.length - 4, saved.length - 1])(
    'are refused when they end after %i bytes',
    async (length) => {
      await expect(load(saved.subarray(0, length))).rejects.toThrow(AudienceBytesError);
    },
  );

  it('are refused when any bit is wrong', async () => {
    for (let at = 0; at < saved.length; at += at < 400 ? 1 : 17_777) {
      const damaged = Buffer.from(saved);
      damaged[at] = (damaged[at] as number) ^ 4;
      await expect(load(damaged)).rejects.toThrow(AudienceBytesError);
    }
  });

  it('are refused with more bytes behind them, as something else, and in another format', async () => {
    await expect(load(Buffer.concat([saved, Buffer.from('x')]))).rejects.toThrow('more behind the end');
    await expect(load(Buffer.from('{"members": [1, 2, 3]}'))).rejects.toThrow('something else');
    const next = Buffer.from(saved);
    next.writeUInt32LE(1, 8);
    await expect(load(next)).rejects.toThrow('they have format 1, and this is format 2');
  });
});
