import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { settingsAt, standInServices } from '../test/admin-under-test.ts';
import { ServiceUnreachable } from './service-calls.ts';
import { createTools, Refused } from './tools.ts';

let answer: (res: ServerResponse) => void;
const services = standInServices((_call, res) => answer(res));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'download-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** @param downloadMs much longer than a busy machine takes, where nothing waits for its end */
const download = (name = 'picture', downloadMs = 10_000) =>
  createTools(settingsAt(services.address()), {
    limits: { downloadAtMostBytes: 1_000_000, downloadMs },
  }).download('offers', 'GET /admin/images/abc', join(folder, name));

describe('a download', () => {
  it('writes the bytes for its owner only, and says their type, size and hash', async () => {
    const bytes = Buffer.alloc(999_999, 'picture');
    answer = (res) => res.setHeader('content-type', 'image/png').end(bytes);
    expect(await download()).toEqual({
      contentType: 'image/png',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(readFileSync(join(folder, 'picture')).equals(bytes)).toBe(true);
    expect(statSync(join(folder, 'picture')).mode & 0o077).toBe(0);
    expect(services.received).toMatchObject([{ call: 'GET /admin/images/abc', owner: 'offers' }]);
  });

  it('of too many bytes ends, whatever the service says of their number', async () => {
    answer = (res) => res.end(Buffer.alloc(1_000_001));
    await expect(download()).rejects.toThrow('offers: more than 1000000 bytes');
  });

  it('of a refusal says what the service said', async () => {
    answer = (res) => res.writeHead(404).end('{"message":"Not found"}');
    await expect(download()).rejects.toThrow(new Refused('offers: Not found', 404));
  });

  it.each<[string, (res: ServerResponse) => unknown]>([
    [
      'breaks off',
      (res) => res.writeHead(200, { 'content-length': '10' }).write('part', () => res.destroy()),
    ],
    ['stands still', (res) => res.writeHead(200, { 'content-length': '10' }).write('part')],
    ['never begins', () => {}],
  ])(
    'that %s is of a service that is away',
    async (_how, behave) => {
      answer = behave;
      await expect(download('picture', 300)).rejects.toThrow(ServiceUnreachable);
      // Well below the time-out of an answer, which a slow trickle of bytes would never reach.
    },
    10_000,
  );

  it('that cannot be written is not taken for a service that is away', async () => {
    answer = (res) => res.end('picture');
    await expect(download('no-folder/picture')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
