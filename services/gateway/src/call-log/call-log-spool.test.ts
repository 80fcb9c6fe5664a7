import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { fc } from '@offer-ads/testing/profile';
import { readLines, toLine } from './call-log-lines.ts';
import { openCallSpool } from './call-log-spool.ts';
import { numberCalls } from './call-log-writing.ts';
import type { Call } from './calls-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'call-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (o: { maxBytes?: number; segmentBytes?: number } = {}) =>
  openCallSpool({ folder: join(folder, 'spool'), logger: silentLogger, ...o });
const number = numberCalls();
const callsTo = (...routes: string[]): Call[] =>
  number(
    routes.map((route) => ({
      keySha256: Buffer.alloc(32, 7),
      route,
      status: 200,
      returnCode: null,
      durationMs: 3,
      at: new Date('2026-06-01T12:00:00.123Z'),
      requestId: 'order-17',
    })),
  );
const lineBytes = toLine(callsTo('a')[0] as Call).length;

/** Everything in the spool, oldest first; removes what it reads. */
async function emptied(spool: ReturnType<typeof open>): Promise<string[]> {
  const routes: string[] = [];
  for (let part = await spool.oldest(); part !== null; part = await spool.oldest()) {
    routes.push(...part.calls.map(({ route }) => route));
    await part.remove();
  }
  return routes;
}

/** All files below the spool. */
const files = () =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
const segments = () => files().filter((path) => path.endsWith('.ndjson'));

describe('a spool', () => {
  it('returns its calls oldest first, over many segments', async () => {
    await using spool = open({ segmentBytes: 2 * lineBytes });
    for (const route of ['a', 'b', 'c', 'd', 'e']) await spool.add(callsTo(route));
    expect(segments()).toHaveLength(3);
    expect(await emptied(spool)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([spool.bytes(), segments()]).toEqual([0, []]);
  });

  it('knows the time of its oldest call, until it is empty', async () => {
    await using spool = open({ segmentBytes: lineBytes });
    expect(spool.oldestAtMs()).toBeUndefined();
    await spool.add(callsTo('a'));
    await spool.add(callsTo('b'));
    expect(spool.oldestAtMs()).toBe(Date.parse('2026-06-01T12:00:00.123Z'));
    await emptied(spool);
    expect(spool.oldestAtMs()).toBeUndefined();
  });

  it('takes calls while the oldest are read, and loses none', async () => {
    await using spool = open();
    await spool.add(callsTo('a'));
    const first = await spool.oldest();
    await spool.add(callsTo('b'));
    expect(first?.calls).toHaveLength(1);
    await first?.remove();
    expect(await emptied(spool)).toEqual(['b']);
  });

  it('returns only the calls of a segment that were not stored yet', async () => {
    await using spool = open();
    await spool.add(callsTo('a', 'b', 'c'));
    (await spool.oldest())?.skip(2);
    expect(await emptied(spool)).toEqual(['c']);
  });

  it('takes a limited number of bytes, and refuses the newest calls', async () => {
    await using spool = open({ maxBytes: 3 * lineBytes });
    expect(await spool.add(callsTo('a', 'b'))).toBe(2);
    expect(await spool.add(callsTo('c', 'd'))).toBe(1);
    expect(await spool.add(callsTo('e'))).toBe(0);
    expect(await emptied(spool)).toEqual(['a', 'b', 'c']);
    expect(await spool.add(callsTo('f'))).toBe(1);
  });

  it('cannot be read by other users, and leaves no files when it is empty', async () => {
    const spool = open();
    await spool.add(callsTo('a'));
    for (const path of files()) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    for (const path of readdirSync(folder)) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    await emptied(spool);
    await spool[Symbol.asyncDispose]();
    expect(files()).toEqual([]);
  });

  it('holds exactly the fields of the log', async () => {
    await using spool = open();
    await spool.add(callsTo('GET /offers'));
    expect(JSON.parse(readFileSync(segments()[0] ?? '', 'utf8'))).toEqual({
      id: expect.any(String),
      key: Buffer.alloc(32, 7).toString('base64'),
      route: 'GET /offers',
      status: 200,
      return_code: null,
      duration_ms: 3,
      at: Date.parse('2026-06-01T12:00:00.123Z'),
      request_id: 'order-17',
    });
  });

  it('skips a last line that a crash cut off, and other invalid lines', async () => {
    const dead = join(folder, 'spool', '0123456789abcdef');
    mkdirSync(dead, { recursive: true });
    const [first, second, torn] = callsTo('a', 'b', 'c').map(toLine);
    writeFileSync(
      join(dead, '00000001.ndjson'),
      `${first}\n{}\nnull\nnonsense\n${second}${torn?.slice(0, -20)}`,
    );
    await using spool = open();
    await spool.adopt();
    expect(await emptied(spool)).toEqual(['a', 'b']);
  });

  it('reads every call as it was written', () => {
    const anyCall = fc.record({
      id: fc.uuid(),
      keySha256: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
      route: fc.string({ unit: 'binary' }),
      status: fc.integer({ min: 100, max: 999 }),
      returnCode: fc.option(fc.string()),
      durationMs: fc.nat(),
      at: fc.date({ min: new Date(0), noInvalidDate: true }),
      requestId: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 2 }), (calls) => {
        expect(readLines(calls.map(toLine).join(''))).toEqual({ calls, unreadable: 0 });
      }),
    );
  });
});

describe('spools on one folder', () => {
  it('never take calls of a running process', async () => {
    await using one = open();
    await using other = open();
    await one.add(callsTo('a'));
    await other.adopt();
    expect(await emptied(other)).toEqual([]);
    expect(await emptied(one)).toEqual(['a']);
  });

  it('take over the calls of a dead process once, before their own', async () => {
    const gone = open();
    await gone.add(callsTo('a', 'b'));
    await gone[Symbol.asyncDispose]();
    await using one = open();
    await using other = open();
    await one.add(callsTo('c'));
    await Promise.all([one.adopt(), other.adopt()]);
    const [first, second] = [await emptied(one), await emptied(other)];
    expect([...first, ...second].toSorted()).toEqual(['a', 'b', 'c']);
    if (first.length > 1) expect(first).toEqual(['a', 'b', 'c']);
  });

  it('ignore folders of other programs', async () => {
    mkdirSync(join(folder, 'spool', 'lost+found'), { recursive: true });
    await using spool = open();
    await spool.adopt();
    expect(readdirSync(join(folder, 'spool'))).toEqual(['lost+found']);
  });
});

describe('a spool on a broken disk', () => {
  it('throws, and works again when the disk does', async () => {
    const inTheWay = join(folder, 'spool');
    writeFileSync(inTheWay, 'no folder');
    await using spool = open();
    await expect(spool.add(callsTo('a'))).rejects.toThrow('EEXIST');
    rmSync(inTheWay);
    expect(await spool.add(callsTo('b'))).toBe(1);
    expect(await emptied(spool)).toEqual(['b']);
  });

  it('continues behind a segment that cannot be read', async () => {
    await using spool = open({ segmentBytes: lineBytes });
    await spool.add(callsTo('a'));
    const [unreadable = ''] = segments();
    rmSync(unreadable);
    mkdirSync(unreadable);
    await spool.add(callsTo('b'));
    expect(await emptied(spool)).toEqual(['b']);
    await appendFile(join(unreadable, 'kept'), '');
  });
});
