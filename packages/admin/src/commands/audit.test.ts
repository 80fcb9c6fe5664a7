import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runWith } from '../../test/admin-under-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = {
  id: '00000000-0000-4000-8000-000000000001',
  at: '2026-11-20T09:00:00.000Z',
  actor: 'ann',
  subject: null,
  roles: [],
  via: 'token',
  action: 'POST /offers/:id/disable',
  targets: ['offers/7'],
  organisationId: 3,
  reason: 'stolen',
  details: {},
  requestId: 'a-request',
  traceId: null,
  status: 200,
};

describe('the audit log', () => {
  it('is asked for in every service with the filters, and a service that is away is named', async () => {
    const asked: unknown[] = [];
    const { result } = await runWith(
      'audit list --person ann --org 3 --limit 5',
      async (service, route, o) => {
        if (service === 'pricing') throw new Error('away');
        asked.push([service, route, o?.query]);
        return { entries: service === 'offers' ? [entry] : [] };
      },
    );
    expect(asked).toHaveLength(5);
    expect(asked).toContainEqual([
      'offers',
      'GET /admin/audit',
      { actor: 'ann', organisationId: '3', limit: '5' },
    ]);
    expect(result).toMatchObject({
      entries: [{ person: 'ann', service: 'offers', targets: 'offers/7', org: 3, status: 200 }],
      nextCursor: null,
      missing: 'pricing',
    });
  });

  it('is exported to a new file, or not at all', async () => {
    const file = join(folder, 'audit.jsonl');
    const answer = async (service: string) => ({ entries: service === 'offers' ? [entry] : [] });
    expect(await runWith(`audit export ${file} --format jsonl`, answer)).toMatchObject({
      status: 0,
      result: { entries: 1 },
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...entry, service: 'offers' });
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
