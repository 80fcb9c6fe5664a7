import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();

describe('terms publish', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terms-'));
  });
  afterAll(async () => rm(folder, { recursive: true }));
  const publish = async (words: string, more = '') => {
    const file = join(folder, 'terms.md');
    await writeFile(file, words);
    replies['POST /admin/terms'] = { version: '2026-11' };
    return adminJson(`terms publish --version 2026-11 --file ${file}${more}`);
  };

  it('sends the text of the file as it is', async () => {
    const words = '# Terms\n\nPay what you book. Café Ω\n';
    expect(await publish(words)).toMatchObject({ status: 0 });
    expect(received[0]?.body).toEqual({ version: '2026-11', text: words });
    await publish(words, ' --holds-from 2026-12-01T00:00:00Z');
    expect(received[1]?.body).toMatchObject({ holdsFrom: '2026-12-01T00:00:00Z' });
  });

  it.each([
    ['empty', ' \n', 'must not be empty'],
    ['too long', 'x'.repeat(100_001), 'must have at most 100,000 characters'],
  ])('refuses a file that is %s', async (_what, words, problem) => {
    expect(await publish(words)).toEqual({ status: 1, result: { error: expect.stringContaining(problem) } });
    expect(received).toEqual([]);
  });
});
