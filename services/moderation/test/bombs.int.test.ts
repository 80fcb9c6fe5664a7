/** Files that are made to hurt, against the service as it runs: what it answers, what it takes, and that it lives on. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { deflatedZeros, photographLikeJpeg, pngChunk } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { runs } from '@offer-ads/testing/profile';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import sharp from 'sharp';
import { hugeFrameGif, hugeJpeg, hugePng, manyScanJpeg, orientationExif } from './bombs.ts';
import { type ModerationProcess, startModerationProcess } from './moderation-process.ts';
import { blankGif } from './odd-pictures.ts';

const maxBytes = 512 * 1_000_000;
const largestUpload = 5_242_880;
/** More than there are cores, so that they meet. */
const atOnce = 6;
/** 49,999,041 pixels. */
const large = { width: 7_071, height: 7_071 };
const tooMuch = /takes too much memory to open/;

let mongo: TestMongo;
let service: ModerationProcess;
beforeAll(async () => {
  mongo = await createTestMongo();
  // Two pictures at once, as on two cores, wherever this runs.
  service = await startModerationProcess(mongo.url, { PICTURES_AT_ONCE: '2' });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mongo?.dispose();
});

type Attack = readonly [
  name: string,
  file: () => Promise<Buffer> | Buffer,
  outcome: 'allowed' | 'refused' | RegExp,
];

const zeros = 100_000_000;
const bombs: readonly Attack[] = [
  [
    'a PNG of 256 megapixels in 31 KB',
    () => hugePng({ width: 16_000, height: 16_000, depth: 1, channels: 1 }),
    /50 megapixels/,
  ],
  ['a PNG of 50 megapixels, 400 MB once inflated', () => hugePng({ ...large, depth: 16 }), 'allowed'],
  ['the same, interlaced', () => hugePng({ ...large, depth: 16, interlaced: true }), tooMuch],
  [
    'the same, lying on its side',
    () => hugePng({ ...large, depth: 16, chunks: [pngChunk('eXIf', orientationExif(6))] }),
    tooMuch,
  ],
  [
    'a PNG of one row of 40 megapixels',
    () => hugePng({ width: 40_000_000, height: 1 }),
    /16,384 pixels wide/,
  ],
  ['a PNG as wide as can be', () => hugePng({ width: 16_384, height: 3_051, depth: 16 }), tooMuch],
  [
    'a PNG whose texts inflate to a gigabyte',
    async () => {
      const text = Buffer.concat([Buffer.from('a\0\0', 'latin1'), await deflatedZeros(zeros)]);
      return hugePng({ width: 9, height: 9, chunks: Array(10).fill(pngChunk('zTXt', text)) });
    },
    'allowed',
  ],
  [
    'a PNG of 300,000 chunks',
    () =>
      hugePng({ width: 9, height: 9, chunks: Array(300_000).fill(pngChunk('tEXt', Buffer.from('a\0b'))) }),
    'allowed',
  ],
  ['a JPEG of 50 megapixels', () => hugeJpeg(large), 'allowed'],
  ['the same, progressive', () => hugeJpeg({ ...large, progressive: true }), tooMuch],
  // Opened once more, for the copy that people look at.
  ['a JPEG of 50 megapixels that looks unsafe', unsafeJpeg, 'refused'],
  [
    'a progressive JPEG of 26 megapixels',
    () => hugeJpeg({ width: 5_100, height: 5_100, progressive: true }),
    'allowed',
  ],
  [
    'a JPEG of 26 megapixels lying on its side',
    () => hugeJpeg({ width: 5_100, height: 5_100, orientation: 6 }),
    'allowed',
  ],
  [
    'a JPEG of 42 megapixels that comes in 883 scans, for which it would be opened 8 s long',
    () => manyScanJpeg({ width: 6_500, height: 6_500, scans: 883 }),
    /100 scans/,
  ],
  ['the same in 100 scans', () => manyScanJpeg({ width: 6_500, height: 6_500, scans: 100 }), 'allowed'],
  ['a GIF of one frame of 49 megapixels', () => hugeFrameGif(7_000, 7_000), tooMuch],
  ['a GIF of 100,000 frames', () => blankGif(2, 2, 100_000), /2,000 frames/],
  ['a GIF of 2,000 frames', () => blankGif(100, 100, 2_000), 'allowed'],
  ['a GIF of 50 frames of a megapixel', () => blankGif(1_000, 1_000, 50), 'allowed'],
];
async function unsafeJpeg(): Promise<Buffer> {
  return sharp(await unsafeLookingPng())
    .resize({ ...large, fit: 'fill' })
    .jpeg({ quality: 60 })
    .toBuffer();
}

/** As an advertiser would: again when there was no verdict for want of time or room. */
function verdictOn(upload: Uint8Array, organisationId?: number): Promise<VerdictReply> {
  return eventually(
    async () => {
      const reply = await service.judge(upload, organisationId);
      if (reply === undefined) throw new Error('no verdict yet');
      return reply;
    },
    { timeoutMs: 240_000 },
  );
}

function outcomeOf(reply: VerdictReply): string {
  return reply.verdict === 'unreadable' ? reply.problem : reply.verdict;
}

describe('moderation as a process', () => {
  it('has one for every bomb of many at once, below 512 MB, and answers afterwards', async () => {
    const files = await Promise.all(bombs.map(async ([name, file]) => ({ name, file: await file() })));
    const waiting = Array.from({ length: runs(1, 5) }, (_, round) =>
      // Other bytes in each round, and as long as an upload may be: nothing is answered from memory.
      files.map(({ name, file }) => ({ name, file: padded(file, round) })),
    ).flat();
    const found: (readonly [name: string, outcome: string])[] = [];
    const attacker = async (organisationId: number) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        found.push([next.name, outcomeOf(await verdictOn(next.file, organisationId))]);
    };
    await Promise.all(Array.from({ length: atOnce }, (_, index) => attacker(index + 1)));

    for (const [name, , outcome] of bombs)
      for (const [, answer] of found.filter(([bomb]) => bomb === name))
        expect([name, answer]).toEqual([name, expect.stringMatching(outcome)]);
    expect(found.length).toBe(bombs.length * runs(1, 5));
    expect(service.peakBytes()).toBeLessThan(maxBytes);
    expect((await verdictOn(await photographLikeJpeg({ seed: 77 }))).verdict).toBe('allowed');
  }, 600_000);
});

function padded(file: Buffer, round: number): Buffer {
  return Buffer.concat([file, Buffer.from(`round ${round}`), Buffer.alloc(largestUpload)]).subarray(
    0,
    largestUpload,
  );
}
