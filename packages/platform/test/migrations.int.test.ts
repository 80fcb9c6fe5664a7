import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { migrate, skipUsedIds } from '../src/postgres/migrations.ts';
import type { Postgres } from '../src/postgres/postgres.ts';
import { openPatiently } from './test-events.ts';

let database: TestDatabase;
let directory: string;
let postgres: Postgres;
beforeEach(async () => {
  database = await createEmptyDatabase();
  directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  await add('0001_shelves', 'CREATE TABLE shelves (id int);');
  postgres = await openPatiently(database.url);
});
afterEach(async () => {
  await postgres[Symbol.asyncDispose]();
  await database.dispose();
  await rm(directory, { recursive: true });
});

const fileOf = (name: string) => join(directory, `${name}.sql`);
const add = (name: string, sql: string) => writeFile(fileOf(name), sql);
const run = (o: { lockTimeoutMs?: number } = {}) => migrate({ url: database.url, directory, ...o });

/** Those that the service brings. */
async function tables(): Promise<unknown[]> {
  const rows = await postgres.query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations' ORDER BY 1`,
  );
  const names = rows.map(({ name }) => name as unknown);
  const ours = ['audit_entries', 'inbox', 'outbox', 'sent_events'];
  expect(names).toEqual(expect.arrayContaining(ours));
  return names.filter((name) => !ours.includes(name as string));
}

describe('migrate', () => {
  it('creates outbox and inbox, and applies each file of the service once, however often it runs', async () => {
    await run();
    expect(await tables()).toEqual(['shelves']);
    await add('0002_books', 'CREATE TABLE books (id int);');
    await run();
    await run();
    expect(await tables()).toEqual(['books', 'shelves']);
  });

  it('waits for a server that cannot be reached yet', async () => {
    await using proxy = await startTcpProxy(database.url);
    proxy.takeDown();
    const migrated = migrate({ url: proxy.url, directory });
    expect(await Promise.race([migrated, pause(200, 'waits')])).toBe('waits');
    proxy.bringBack();
    await migrated;
    expect(await tables()).toEqual(['shelves']);
  });

  it('does not wait for a database that the server does not have', async () => {
    const url = new URL(database.url);
    url.pathname = '/no-such-database';
    await expect(migrate({ url: url.href, directory })).rejects.toMatchObject({ code: '3D000' });
  });

  it('applies each file once when two replicas run it at the same time', async () => {
    await Promise.all([run(), run()]);
    expect(await tables()).toEqual(['shelves']);
  });

  it('refuses a file with a lower number than one that has run, and changes nothing', async () => {
    await add('0003_books', 'CREATE TABLE books (id int);');
    await run();
    await add('0002_readers', 'CREATE TABLE readers (id int);');
    await add('0004_loans', 'CREATE TABLE loans (id int);');
    await expect(run()).rejects.toThrow(
      'Not run migration 0002_readers is preceding already run migration 0003_books',
    );
    expect(await tables()).toEqual(['books', 'shelves']);
    // It gets a higher number.
    await rename(fileOf('0002_readers'), fileOf('0005_readers'));
    await run();
    expect(await tables()).toEqual(['books', 'loans', 'readers', 'shelves']);
  });

  it('gives up when another transaction holds the table, so that requests do not wait behind it', async () => {
    await run();
    await add('0002_width', 'ALTER TABLE shelves ADD COLUMN width int;');
    await postgres.transaction(async (tx) => {
      await tx.query('SELECT FROM shelves');
      await expect(run({ lockTimeoutMs: 50 })).rejects.toThrow('lock timeout');
    });
    await run();
  });

  it('changes nothing when one file is wrong, and closes its connection after a success and a failure', async () => {
    const others = () =>
      postgres.query(
        `SELECT query FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
    await run();
    expect(await others()).toEqual([]);
    await add('0002_books', 'CREATE TABLE books (id int); CREATE NONSENSE;');
    await expect(run()).rejects.toThrow('NONSENSE');
    expect(await others()).toEqual([]);
    expect(await tables()).toEqual(['shelves']);
  });
});

it('after a restore no id and no version that was used after the backup is used again', async () => {
  await add(
    '0001_shelves',
    `CREATE TABLE shelves (shelf_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
     CREATE TABLE "Books" (book_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
     CREATE SEQUENCE loans;
     CREATE TABLE readers (name text, version integer NOT NULL);
     INSERT INTO readers VALUES ('Ann', 3), ('Ben', 0);
     INSERT INTO shelves DEFAULT VALUES;`,
  );
  await run();
  await skipUsedIds({ ...database, versioned: ['readers'] });
  await skipUsedIds(database);
  expect(await postgres.query('INSERT INTO shelves DEFAULT VALUES RETURNING shelf_id')).toEqual([
    { shelf_id: 2_000_002 },
  ]);
  expect(await postgres.query('INSERT INTO "Books" DEFAULT VALUES RETURNING book_id')).toEqual([
    { book_id: 2_000_001n },
  ]);
  expect(await postgres.query("SELECT nextval('loans')")).toEqual([{ nextval: 2_000_001n }]);
  // Events from now on are newer than all events after the backup.
  expect(await postgres.query('SELECT version FROM readers ORDER BY name')).toEqual([
    { version: 1_000_003 },
    { version: 1_000_000 },
  ]);
});
