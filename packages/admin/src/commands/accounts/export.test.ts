import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runWith } from '../../../test/admin-under-test.ts';
import { ServiceUnreachable } from '../../service-calls.ts';
import { Refused, type Tools } from '../../tools.ts';

const quota = { perPerson: 1, perOrganisation: 1 };
const noLimit = { spendingPerDayMinor: null, spendingPerMonthMinor: null };
const organisation = {
  id: 3,
  name: 'Tea House',
  tradingName: 'Tea',
  country: 'GB',
  currency: 'GBP',
  adminEmail: null,
  enabled: true,
  approval: null,
  withdrawal: null,
  termsAccepted: true,
  quotas: { TEST: quota, LIVE: quota },
  billingDetails: { address: [], vatNumber: null, purchaseOrder: null },
  spendingLimits: { admin: noLimit, marketer: noLimit },
  savedPlaces: [],
};

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Offers of both lists, and their pages, show the same two pictures. */
const pictures = new Map(['a photograph', 'a drawing'].map((bytes) => [sha256(bytes), bytes]));
const [photograph = '', drawing = ''] = pictures.keys();

let folder: string;
let calls: string[];
let downloads: string[];
let away: string | undefined;
/** By the route: instead of the bytes. */
let failures: Record<string, () => Error>;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'export-')), 'org-3');
  calls = [];
  downloads = [];
  away = undefined;
  failures = {};
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
  // A title may hold a character at which some readers end a line.
  const offer = {
    ...row,
    title: 'Tea\u2028and cake',
    imageHash: cursor === undefined ? photograph : drawing,
  };
  if (route.endsWith('/export')) return { offers: [offer], ...page };
  if (route.endsWith('/statement')) return { entries: [row], ...page };
  const series = query['mode'] === 'LIVE' ? ['CN', 'INV'] : ['TEST-CN', 'TEST'];
  const number = `${series[cursor === undefined ? 0 : 1]}-000001`;
  if (route.endsWith('/invoices')) return { invoices: [{ ...row, number }], ...page };
  if (route.endsWith('/balances')) return { balanceMinor: '5' };
  if (route.endsWith('/notifications')) return { notifications: [row] };
  return { webhooks: [row] };
};

const download: Tools['download'] = async (owner, route, file) => {
  downloads.push(`${owner} ${route}`);
  const failure = failures[route];
  if (failure !== undefined) {
    writeFileSync(file, 'half of ');
    throw failure();
  }
  if (owner === away) throw new ServiceUnreachable(`${owner} cannot be reached`);
  const [name = ''] = route.split('/').slice(-1);
  const bytes = pictures.get(name) ?? `PDF ${name}`;
  writeFileSync(file, bytes);
  const contentType =
    owner === 'billing' ? 'application/pdf' : bytes.includes('photo') ? 'image/jpeg' : 'image/png';
  return { contentType, bytes: bytes.length, sha256: sha256(bytes) };
};

const run = (org = 3) => runWith(`org export ${org} --folder ${folder}`, call, download);
const manifest = () =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<
    'files' | 'attachments' | 'missing',
    {
      file: string;
      rows: number;
      writtenAt: string;
      bytes: number;
      sha256: string;
      problem: string;
      again: boolean;
    }[]
  > & { complete: boolean };
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
    expect(manifest()).toMatchObject({ organisationId: 3, complete: true, notIncluded: expect.any(Array) });
    for (const written of manifest().files) {
      expect([written.file, written.rows]).toEqual([written.file, linesOf(written.file).length]);
      expect(sha256(readFileSync(join(folder, written.file)))).toBe(written.sha256);
    }
  });

  it('writes each picture once, and a PDF for each invoice and credit note, counted and hashed', async () => {
    const { result } = await run();
    expect(result).toMatchObject({ pictures: 2, pdfs: 4, complete: true });
    const { attachments, missing } = manifest();
    expect(attachments.map(({ file }) => file).toSorted()).toEqual(
      [
        `pictures/${photograph}.jpg`,
        `pictures/${drawing}.png`,
        ...['TEST-CN', 'TEST', 'CN', 'INV'].map((series) => `invoices/${series}-000001.pdf`),
      ].toSorted(),
    );
    expect(missing).toEqual([]);
    for (const written of attachments) {
      const bytes = readFileSync(join(folder, written.file));
      expect([written.bytes, written.sha256]).toEqual([bytes.length, sha256(bytes)]);
    }
    expect(readFileSync(join(folder, 'invoices/CN-000001.pdf'), 'utf8')).toBe('PDF CN-000001.pdf');
    expect(downloads).toHaveLength(6);
  });

  it('names each file that could not be had, and goes on with the others', async () => {
    failures[`GET /admin/images/${photograph}`] = () => new Refused('offers: Not found', 404);
    failures['GET /admin/invoices/INV-000001.pdf'] = () => new ServiceUnreachable('billing broke off');
    const { status, result } = await run();
    expect([status, result]).toMatchObject([1, { pictures: 1, pdfs: 3, complete: false }]);
    const problems = [
      { file: `pictures/${photograph}`, service: 'offers', problem: 'offers: Not found (HTTP 404)' },
      { file: 'invoices/INV-000001', service: 'billing', problem: 'billing broke off' },
    ];
    expect(result).toMatchObject({
      files: expect.arrayContaining(problems.map((one) => ({ ...one, rows: null }))),
    });
    expect(manifest().missing).toEqual([
      { ...problems[0], again: false },
      { ...problems[1], again: true },
    ]);
    expect(readdirSync(join(folder, 'invoices')).filter((name) => /INV|part/.test(name))).toEqual([]);

    failures = {};
    downloads.length = 0;
    failures[`GET /admin/images/${photograph}`] = () => new Refused('offers: Not found', 404);
    // A picture that is gone for ever does not make the export incomplete.
    expect(await run()).toMatchObject({ status: 0, result: { pictures: 1, pdfs: 4, complete: true } });
    expect(downloads).toEqual([
      `offers GET /admin/images/${photograph}`,
      'billing GET /admin/invoices/INV-000001.pdf',
    ]);
    expect(manifest().attachments.find(({ file }) => file.startsWith('pictures'))).toEqual({
      file: `pictures/${drawing}.png`,
      service: 'offers',
      bytes: 'a drawing'.length,
      sha256: drawing,
    });
  });

  it('keeps no picture whose bytes are others than its hash says', async () => {
    pictures.set(drawing, 'a photograph that somebody put in its place');
    const { result } = await run();
    pictures.set(drawing, 'a drawing');
    expect(result).toMatchObject({ pictures: 1, complete: true });
    expect(manifest().missing).toMatchObject([
      { file: `pictures/${drawing}`, problem: expect.stringContaining('hash') },
    ]);
    expect(readdirSync(join(folder, 'pictures'))).toEqual([`${photograph}.jpg`]);
  });

  it('asks a service no more after three failures in a row, so that time-outs do not add up to hours', async () => {
    for (const number of ['TEST-CN-000001', 'TEST-000001', 'CN-000001', 'INV-000001'])
      failures[`GET /admin/invoices/${number}.pdf`] = () => new Refused('billing: Service unavailable', 503);
    const { status, result } = await run();
    expect([status, result]).toMatchObject([1, { pictures: 2, pdfs: 0, complete: false }]);
    expect(downloads.filter((one) => one.startsWith('billing'))).toHaveLength(3);
    expect(manifest().missing).toHaveLength(4);
    expect(manifest().missing.at(-1)).toMatchObject({
      problem: 'billing failed 3 times in a row',
      again: true,
    });
  });

  it('that was interrupted among the pictures reads neither lines nor pictures twice', async () => {
    failures[`GET /admin/images/${drawing}`] = () => new Error('no space left on the disk');
    expect((await run()).result).toEqual({ error: 'no space left on the disk' });
    expect(manifest().complete).toBe(false);
    failures = {};
    calls.length = 0;
    downloads.length = 0;
    expect(await run()).toMatchObject({ status: 0, result: { pictures: 2, complete: true } });
    expect(calls).toEqual(['gateway GET /admin/organisations/3']);
    expect(downloads).not.toContain(`offers GET /admin/images/${photograph}`);
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

  it('that is repeated after it was complete reads every row again, and dates each file by its own reading', async () => {
    jest.useFakeTimers({ now: new Date('2026-06-01T12:00:00Z'), doNotFake: ['nextTick', 'setImmediate'] });
    try {
      await run();
      jest.setSystemTime(new Date('2026-07-01T12:00:00Z'));
      calls.length = 0;
      away = 'billing';
      await run();
      expect(calls).toContain('notifier GET /admin/webhooks 3');
      // What could not be read today is not passed on as it was a month ago.
      expect(existsSync(join(folder, 'statement-live.jsonl'))).toBe(false);
      jest.setSystemTime(new Date('2026-07-02T12:00:00Z'));
      away = undefined;
      await run();
    } finally {
      jest.useRealTimers();
    }
    const days = Object.fromEntries(
      manifest().files.map(({ file, writtenAt }) => [file, writtenAt.slice(0, 10)]),
    );
    expect(days).toMatchObject({ 'people.jsonl': '2026-07-01', 'statement-live.jsonl': '2026-07-02' });
  });

  it('never mixes two organisations in a folder, and makes none for an unknown one', async () => {
    const other = await run(4);
    expect(other.result).toEqual({ error: expect.stringContaining('no such organisation') });
    expect(existsSync(folder)).toBe(false);
    await run();
    const asFour: Tools['call'] = async (owner, route, o) =>
      route === 'GET /admin/organisations/4' ? { ...organisation, id: 4 } : call(owner, route, o);
    const { result } = await runWith(`org export 4 --folder ${folder}`, asFour, download);
    expect(result).toEqual({ error: expect.stringContaining('another organisation') });
  });
});
