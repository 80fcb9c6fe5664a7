import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PictureReply } from '@offer-ads/contracts/internal/moderation-api';
import type { Call, Tools } from '../../tools.ts';
import { moderationCommands } from './moderation.ts';

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

/** Runs the command and tells what it asked. */
async function run(name: string, args: string[], replies: Record<string, object>) {
  const asked: Call[] = [];
  const call: Tools['call'] = async (owner, call) => {
    expect(owner).toBe('moderation');
    asked.push(call);
    return replies[`${call.method} ${call.path}`] ?? {};
  };
  const command = moderationCommands.find((each) => each.name === `moderation ${name}`);
  const result = await command?.run(args, () => ({ call, namespace: '' }) as unknown as Tools);
  return { asked, result };
}

describe('moderation list', () => {
  it('asks for what is wanted and shows scores that can be read', async () => {
    const path = `/admin/pictures?verdict=refused&since=2026-06-01T00%3A00%3A00Z&limit=1&organisationId=3`;
    const picture = {
      ...last,
      contentHash,
      cleanHash,
      now: null,
      explicit: 0.71234,
      suggestive: null,
      uploads: 2,
    };
    const { result } = await run(
      'list',
      ['--verdict', 'refused', '--since', '2026-06-01T00:00:00Z', '--org', '3', '--limit', '1'],
      { [`GET ${path}`]: { pictures: [picture], nextCursor: 'next' } },
    );
    const { organisationId: org, cleanHash: _, ...facts } = picture;
    expect(result).toEqual({ pictures: [{ ...facts, explicit: 0.712, org }], nextCursor: 'next' });
  });
});

describe('moderation show', () => {
  const replies = {
    [`GET /admin/pictures/${contentHash}`]: record,
    [`GET /admin/pictures/${contentHash}/copy`]: { jpegBase64: Buffer.from('a copy').toString('base64') },
  };

  it('shows the history of model and people, the latest first, and what comes next', async () => {
    const { result } = await run('show', [contentHash], replies);
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
      copy: 'kept, --save FILE.jpg writes it',
    });
  });

  it.each([
    ['its file', () => file],
    [
      'the address of an image',
      () => `http://127.0.0.1/images/${contentHash}-0123456789abcdef.jpg?expires=1`,
    ],
  ])('knows a picture by %s', async (_what, word) => {
    const { asked } = await run('show', [word()], replies);
    expect(asked).toEqual([{ method: 'GET', path: `/admin/pictures/${contentHash}` }]);
  });

  it('writes the copy, and over no other file', async () => {
    const copy = join(folder, 'copy.jpg');
    await run('show', [contentHash, '--save', copy], replies);
    expect(readFileSync(copy, 'utf8')).toBe('a copy');
    await expect(run('show', [contentHash, '--save', copy], replies)).rejects.toThrow('exists already');
  });

  it('refuses a word that is neither', async () => {
    await expect(run('show', ['nothing.jpg'], replies)).rejects.toThrow(
      'nothing.jpg is neither a file nor a hash',
    );
    await expect(run('show', [folder], replies)).rejects.toThrow(`${folder} is neither a file nor a hash`);
  });

  it('refuses a file that is too large without reading it', async () => {
    const large = join(folder, 'large.jpg');
    writeFileSync(large, '');
    // 4 GiB of nothing, which take no room on the disk and could not be read into one buffer.
    truncateSync(large, 2 ** 32);
    await expect(run('show', [large], replies)).rejects.toThrow('has more than 5 MiB');
  });
});

describe('a decision', () => {
  const replies = { 'POST /admin/rulings': record };
  const why = { reason: 'stolen' };

  it.each(['allow', 'block', 'withdraw'] as const)(
    '%s is sent with its reason, and the service knows who it is from',
    async (action) => {
      const { asked } = await run(action, [contentHash, '--reason', 'stolen'], replies);
      expect(asked).toEqual([
        { method: 'POST', path: '/admin/rulings', json: { action, ...why, name: contentHash } },
      ]);
    },
  );

  it('about a file is sent with the file', async () => {
    const { asked, result } = await run('block', [file, '--reason', 'stolen'], replies);
    expect(asked[0]?.json).toEqual({ action: 'block', ...why, imageBase64: bytes.toString('base64') });
    expect(result).toMatchObject({ contentHash, note: expect.stringContaining('offer disable') });
  });

  it('needs a reason', async () => {
    await expect(run('block', [contentHash], replies)).rejects.toThrow('--reason is missing');
  });
});
