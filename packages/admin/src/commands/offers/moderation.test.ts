import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PictureReply } from '@offer-ads/contracts/internal/moderation-api';
import { runWith } from '../../../test/admin-under-test.ts';

const bytes = Buffer.from('the bytes of a picture');
const contentHash = createHash('sha256').update(bytes).digest('hex');
const cleanHash = 'c'.repeat(64);
const at = (hour: number) => `2026-06-01T${hour}:00:00.000Z`;
const ruling = {
  number: 4,
  at: at(13),
  author: 'ann',
  action: 'block',
  reason: 'stolen',
  contentHash,
} as const;
const last = { at: at(12), organisationId: 3, mode: 'LIVE', verdict: 'refused', reason: 'explicit' } as const;
const record: PictureReply = {
  contentHash,
  cleanHash,
  earlierCleanHashes: [],
  now: { verdict: 'refused', reason: 'blocked', ruling },
  copiesRecognised: true,
  uploaded: { type: 'jpeg', frames: 1, uploads: 2, firstAt: at(11), last },
  verdicts: [
    {
      judgedAt: at(11),
      model: { name: 'nsfwjs', version: 'abc' },
      thresholds: { explicit: 0.6, suggestive: 0.9 },
      current: true,
      verdict: 'refused',
      reason: 'explicit',
      looks: [
        { explicit: 0.1, suggestive: 0.95, labels: { Sexy: 0.85, Porn: 0.1 } },
        { explicit: 0.71234, suggestive: 0.8, labels: { Porn: 0.71234 } },
      ],
    },
  ],
  rulings: [ruling],
  copyKept: true,
};

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'moderation-'));
  file = join(folder, 'picture.jpg');
  writeFileSync(file, bytes);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command; returns its result and the calls that it made. */
async function run(words: string, reply: object = record) {
  const asked: unknown[] = [];
  const { result } = await runWith(`moderation ${words}`, async (owner, route, o) => {
    asked.push([owner, route, o]);
    return route.endsWith('/copy') ? { jpegBase64: Buffer.from('a copy').toString('base64') } : reply;
  });
  return { asked, result };
}
const refusedWith = (words: string) => ({ error: expect.stringContaining(words) });

describe('moderation list', () => {
  it('sends the filters and rounds the scores', async () => {
    const picture = {
      ...last,
      contentHash,
      cleanHash,
      now: null,
      explicit: 0.71234,
      suggestive: null,
      uploads: 2,
    };
    const { asked, result } = await run(
      'list --verdict refused --from 2026-06-01T00:00:00Z --org 3 --limit 1',
      { pictures: [picture], nextCursor: 'next' },
    );
    const query = { verdict: 'refused', since: '2026-06-01T00:00:00Z', limit: 1, organisationId: 3 };
    expect(asked).toEqual([['moderation', 'GET /admin/pictures', { query }]]);
    const { organisationId: org, cleanHash: _, now: _now, ...facts } = picture;
    expect(result).toEqual({
      pictures: [{ ...facts, next: 'the model will judge', explicit: 0.712, org }],
      nextCursor: 'next',
    });
  });
});

describe('moderation show', () => {
  it('shows the decisions of model and people, the latest first, and the verdict for the next upload', async () => {
    const { result } = await run(`show ${contentHash}`);
    expect(result).toMatchObject({
      history: [
        { at: at(13), by: 'ann', decision: 'block', reason: 'stolen', ruling: 4 },
        {
          at: at(11),
          by: 'nsfwjs abc',
          decision: 'refused',
          reason: 'explicit',
          explicit: '0.712 of 0.6',
          suggestive: '0.95 of 0.9',
        },
      ],
      cleanHash,
      next: 'refused (blocked) by ruling 4 of ann',
      copiesRecognised: true,
      looks: [{ Sexy: 0.85, Porn: 0.1 }, { Porn: 0.712 }],
      copy: 'kept, --file FILE.jpg writes it',
    });
  });

  it.each([
    ['its file', () => file],
    ['the address of an image', () => `http://127.0.0.1/images/${contentHash}-0123.jpg?expires=1`],
  ])('finds a picture by %s', async (_what, word) => {
    const { asked } = await run(`show ${word()}`);
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
  it.each(['allow', 'block', 'withdraw'] as const)('%s is sent with its reason', async (action) => {
    const { asked } = await run(`${action} ${contentHash} --reason stolen`);
    const json = { action, reason: 'stolen', name: contentHash };
    expect(asked).toEqual([['moderation', 'POST /admin/rulings', { json }]]);
  });

  it('is sent with the file, where one is named', async () => {
    const { asked, result } = await run(`block ${file} --reason stolen`);
    const json = { action: 'block', reason: 'stolen', imageBase64: bytes.toString('base64') };
    expect(asked).toEqual([['moderation', 'POST /admin/rulings', { json }]]);
    expect(result).toMatchObject({ contentHash, note: expect.stringContaining('offer disable') });
  });

  it('needs a reason', async () => {
    expect((await run(`block ${contentHash}`)).result).toEqual(refusedWith('--reason is missing'));
  });
});
