import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWith } from '../../../test/admin-under-test.ts';
import { picture } from '../../../test/command-lines.ts';

const bytes = Buffer.from('the bytes of a picture');
const contentHash = createHash('sha256').update(bytes).digest('hex');
let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'moderation-'));
  file = join(folder, 'picture.jpg');
  writeFileSync(file, bytes);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command; returns its result and the calls that it made. */
async function run(words: string, reply: object = picture) {
  const asked: unknown[] = [];
  const { result } = await runWith(`moderation ${words}`, async (owner, route, o) => {
    asked.push([owner, route, o]);
    return route.endsWith('/copy') ? { jpegBase64: Buffer.from('a copy').toString('base64') } : reply;
  });
  return { asked, result };
}
const refusedWith = (words: string) => ({ error: expect.stringContaining(words) });

describe('moderation show', () => {
  it('finds a picture by its file', async () => {
    const { asked } = await run(`show ${file}`);
    expect(asked).toEqual([['moderation', `GET /admin/pictures/${contentHash}`, undefined]]);
  });

  it('writes the copy, but over no other file', async () => {
    const copy = join(folder, 'copy.jpg');
    await run(`show ${contentHash} --file ${copy}`);
    expect(readFileSync(copy, 'utf8')).toBe('a copy');
    const { result } = await run(`show ${contentHash} --file ${copy}`);
    expect(result).toEqual(refusedWith(`${copy} exists already`));
  });

  it('refuses a word that is neither a file nor a hash, and a file that is too large, without reading it', async () => {
    const large = join(folder, 'large.jpg');
    writeFileSync(large, '');
    // 4 GiB of zeros take no space on the disk and do not fit into one buffer.
    truncateSync(large, 2 ** 32);
    for (const [word, problem] of [
      ['nothing.jpg', 'nothing.jpg is neither a file nor a hash'],
      [folder, `${folder} is neither a file nor a hash`],
      [large, 'has more than 5 MiB'],
    ] as const)
      expect((await run(`show ${word}`)).result).toEqual(refusedWith(problem));
  });
});

describe('a ruling about a picture', () => {
  it('is sent with its file, where one is named', async () => {
    const { asked, result } = await run(`block ${file} --reason stolen`);
    const json = { action: 'block', reason: 'stolen', imageBase64: bytes.toString('base64') };
    expect(asked).toEqual([['moderation', 'POST /admin/rulings', { json }]]);
    expect(result).toMatchObject({ contentHash: picture.contentHash });
  });
});
