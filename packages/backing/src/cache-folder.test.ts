import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cached, cacheFolder } from './cache-folder.ts';

const userCache = process.env.XDG_CACHE_HOME;
beforeEach(() => {
  process.env.XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), 'cache-'));
});
afterEach(() => {
  rmSync(cacheFolder(), { recursive: true });
  if (userCache === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = userCache;
});

describe('the cache of downloads', () => {
  it('is filled once and completely when two processes fill it at the same time', async () => {
    const fillWith = (content: string) => async (folder: string) =>
      writeFileSync(join(folder, 'file'), content);
    const folders = await Promise.all([cached('thing', fillWith('one')), cached('thing', fillWith('two'))]);
    expect(folders[0]).toBe(folders[1]);
    expect(readFileSync(join(folders[0], 'file'), 'utf8')).toMatch(/^(one|two)$/);
    expect(readdirSync(cacheFolder())).toEqual(['thing']);
  });

  it('keeps nothing of a failed download', async () => {
    const failing = cached('thing', async (folder) => {
      writeFileSync(join(folder, 'half'), '');
      throw new Error('connection lost');
    });
    await expect(failing).rejects.toThrow('connection lost');
    expect(readdirSync(cacheFolder())).toEqual([]);
  });
});
