import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runWith } from '../../test/admin-under-test.ts';
import { audited } from '../../test/command-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the audit log', () => {
  it('is exported to a new file, or not at all', async () => {
    const file = join(folder, 'audit.jsonl');
    const answer = async (service: string) => ({ entries: service === 'offers' ? [audited] : [] });
    expect(await runWith(`audit export ${file} --format jsonl`, answer)).toMatchObject({
      status: 0,
      result: { entries: 1 },
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...audited, service: 'offers' });
    expect(await runWith(`audit export ${file}`, answer)).toMatchObject({
      status: 1,
      result: { error: expect.stringContaining('exists already') },
    });
    const other = join(folder, 'other.csv');
    const away = () => Promise.reject(new Error('away'));
    expect(await runWith(`audit export ${other}`, away)).toMatchObject({
      status: 1,
      result: { error: expect.stringContaining('no answer from gateway') },
    });
    expect(() => readFileSync(other)).toThrow('ENOENT');
  });
});
