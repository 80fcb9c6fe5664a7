import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runWith } from '../../../test/admin-under-test.ts';
import { ServiceUnreachable } from '../../service-calls.ts';
import { Refused, type Tools } from '../../tools.ts';

const quota = { perPerson: 1, perOrganisation: 1 };
const organisation = {
  id: 3,
  name: 'Tea House',
  tradingName: 'Tea',
  country: 'GB',
  currency: 'GBP',
  adminEmail: null,
  enabled: true,
  approval: null,
  termsAccepted: true,
  quotas: { TEST: quota, LIVE: quota },
  billingDetails: { address: [], vatNumber: null, purchaseOrder: null },
};

let folder: string;
let calls: string[];
let away: string | undefined;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'export-')), 'org-3');
  calls = [];
  away = undefined;
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

/** Two pages of each list that has pages. */
const call: Tools['call'] = async (owner, route, { query = {} } = {}) => {
  const { cursor, ...rest } = query;
  calls.push([owner, route, ...Object.values(rest), cursor].filter(Boolean).join(' '));
  if (owner === away) throw new ServiceUnreachable(`${owner} cannot be reached`);
  if (route === 'GET /admin/organisations/3') return organisation;
  if (!route.startsWith('GET /admin/organisations/3') && owner === 'gateway')
    throw new Refused('gateway: There is no such organisation', 404);
  const page = { nextCursor: cursor === undefined ? 'c2' : null };
  const row = { row: cursor ?? 'c1', of: query['mode'] ?? query['deleted'] };
  if (route.endsWith('/people')) return { people: [{ email: 'ann@tea.example' }] };
  if (route.endsWith('/keys')) return { keys: [] };
  if (route.endsWith('/terms')) return { terms: [] };
  if (route.endsWith('/calls')) return { calls: [row], ...page };
  if (route.endsWith('/export')) return { offers: [row], ...page };
  if (route.endsWith('/statement')) return { entries: [row], ...page };
  if (route.endsWith('/invoices')) return { invoices: [row], ...page };
  if (route.endsWith('/balances')) return { balanceMinor: '5' };
  if (route.endsWith('/notifications')) return { notifications: [row] };
  return { webhooks: [row] };
};

const run = (org = 3) => runWith(`org export ${org} --folder ${folder}`, call);
const linesOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('org export', () => {
  it('writes all pages of everything, one JSON object a line, for its owner only', async () => {
    const { status, result } = await run();
    expect([status, result]).toMatchObject([0, { complete: true, next: null }]);
    expect(linesOf('organisation.jsonl')).toMatchObject([{ id: 3, name: 'Tea House' }]);
    expect(linesOf('people.jsonl')).toEqual([{ email: 'ann@tea.example' }]);
    expect(linesOf('calls.jsonl').map(({ row }) => row)).toEqual(['c1', 'c2']);
    expect(linesOf('offers.jsonl')).toMatchObject([{ of: 'false' }, { of: 'false' }]);
    expect(linesOf('deleted-offers.jsonl')).toMatchObject([{ of: 'true' }, { of: 'true' }]);
    for (const mode of ['test', 'live'])
      for (const file of ['statement', 'invoices'])
        expect(linesOf(`${file}-${mode}.jsonl`)).toMatchObject([{ of: mode.toUpperCase() }, { row: 'c2' }]);
    expect(calls).toContain('billing GET /admin/balances/statement 3 LIVE GBP 1000 c2');
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(readdirSync(folder).some((file) => file.endsWith('.part'))).toBe(false);
  });

  it('lists the files with their rows and hashes, and what is not in them', async () => {
    await run();
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
      files: { file: string; rows: number; sha256: string }[];
    };
    expect(manifest).toMatchObject({ organisationId: 3, complete: true, notIncluded: expect.any(Array) });
    for (const { file, rows, sha256 } of manifest.files) {
      expect([file, rows]).toEqual([file, linesOf(file).length]);
      expect(
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ).toBe(sha256);
    }
  });

  it('goes on after a service was away, and reads nothing twice', async () => {
    away = 'billing';
    const first = await run();
    expect([first.status, first.result]).toMatchObject([1, { complete: false }]);
    expect(existsSync(join(folder, 'invoices-live.jsonl'))).toBe(false);
    calls.length = 0;
    away = undefined;
    expect(await run()).toMatchObject({ status: 0, result: { complete: true } });
    expect(calls.filter((one) => !one.startsWith('billing'))).toEqual(['gateway GET /admin/organisations/3']);
    expect(linesOf('invoices-live.jsonl')).toHaveLength(2);
  });

  it('never mixes two organisations in a folder, and makes none for an unknown one', async () => {
    const other = await run(4);
    expect(other.result).toEqual({ error: expect.stringContaining('no such organisation') });
    expect(existsSync(folder)).toBe(false);
    await run();
    const asFour: Tools['call'] = async (owner, route, o) =>
      route === 'GET /admin/organisations/4' ? { ...organisation, id: 4 } : call(owner, route, o);
    const { result } = await runWith(`org export 4 --folder ${folder}`, asFour);
    expect(result).toEqual({ error: expect.stringContaining('another organisation') });
  });
});
