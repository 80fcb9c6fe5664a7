import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { migrate, skipUsedIds } from '../src/postgres/migrations.ts';
import { openPostgres } from '../src/postgres/postgres.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

describe('migrate', () => {
  let database: TestDatabase;
  let directory: string;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    directory = await mkdtemp(join(tmpdir(), 'migrations-'));
    await writeFile(join(directory, '0001_shelves.sql'), 'CREATE TABLE shelves (id int);');
  });
  afterEach(async () => {
    await database.dispose();
    await rm(directory, { recursive: true });
  });

  async function tables(): Promise<string[]> {
    await using postgres = await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      statementTimeoutMs: 60_000,
    });
    const rows = await postgres.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations' ORDER BY 1`,
    );
    return rows.map((row) => row.name);
  }

  it('creates outbox and inbox and then what the service brings', async () => {
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual(['inbox', 'outbox', 'sent_events', 'shelves']);
  });

  it('applies each file once, however often it runs', async () => {
    await migrate({ url: database.url, directory });
    await writeFile(join(directory, '0002_books.sql'), 'CREATE TABLE books (id int);');
    await migrate({ url: database.url, directory });
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual(['books', 'inbox', 'outbox', 'sent_events', 'shelves']);
  });

  it('applies each file once when two replicas come at the same time', async () => {
    await Promise.all([migrate({ url: database.url, directory }), migrate({ url: database.url, directory })]);
    expect(await tables()).toEqual(['inbox', 'outbox', 'sent_events', 'shelves']);
  });

  it('refuses a file that belongs before one that has run, and leaves the database as it was', async () => {
    await writeFile(join(directory, '0003_books.sql'), 'CREATE TABLE books (id int);');
    await migrate({ url: database.url, directory });
    await writeFile(join(directory, '0002_readers.sql'), 'CREATE TABLE readers (id int);');
    await writeFile(join(directory, '0004_loans.sql'), 'CREATE TABLE loans (id int);');
    await expect(migrate({ url: database.url, directory })).rejects.toThrow(
      'Not run migration 0002_readers is preceding already run migration 0003_books',
    );
    expect(await tables()).toEqual(['books', 'inbox', 'outbox', 'sent_events', 'shelves']);
    // The way out: it comes after all that have run.
    await rename(join(directory, '0002_readers.sql'), join(directory, '0005_readers.sql'));
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual([
      'books',
      'inbox',
      'loans',
      'outbox',
      'readers',
      'sent_events',
      'shelves',
    ]);
  });

  it('gives up on a table that somebody else holds, so that requests do not queue up behind it', async () => {
    await migrate({ url: database.url, directory });
    await writeFile(join(directory, '0002_width.sql'), 'ALTER TABLE shelves ADD COLUMN width int;');
    await using postgres = await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      statementTimeoutMs: 60_000,
    });
    await postgres.transaction(async (tx) => {
      await tx.query('SELECT FROM shelves');
      await expect(migrate({ url: database.url, directory, lockTimeoutMs: 50 })).rejects.toThrow(
        'lock timeout',
      );
    });
    await migrate({ url: database.url, directory });
  });

  it('leaves no connection behind, done or failed', async () => {
    await using postgres = await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      statementTimeoutMs: 60_000,
    });
    const others = () =>
      postgres.query(
        `SELECT query FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
    await migrate({ url: database.url, directory });
    expect(await others()).toEqual([]);
    await writeFile(join(directory, '0002_books.sql'), 'CREATE NONSENSE;');
    await expect(migrate({ url: database.url, directory })).rejects.toThrow('NONSENSE');
    expect(await others()).toEqual([]);
  });

  it('leaves nothing of a set in which one file is wrong', async () => {
    await writeFile(join(directory, '0002_books.sql'), 'CREATE TABLE books (id int); CREATE NONSENSE;');
    await expect(migrate({ url: database.url, directory })).rejects.toThrow('NONSENSE');
    expect(await tables()).toEqual(['inbox', 'outbox', 'sent_events']);
  });
});

describe('skipUsedIds', () => {
  it('never gives an id or a version again that was given out after the backup, of any table and kind', async () => {
    const database = await createEmptyDatabase();
    const directory = await mkdtemp(join(tmpdir(), 'migrations-'));
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => rm(directory, { recursive: true }));
    cleaning.defer(database.dispose);
    await writeFile(
      join(directory, '0001_shelves.sql'),
      `CREATE TABLE shelves (shelf_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
       CREATE TABLE "Books" (book_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
       CREATE SEQUENCE loans;
       CREATE TABLE readers (name text, version integer NOT NULL);
       INSERT INTO readers VALUES ('Ann', 3), ('Ben', 0);
       INSERT INTO shelves DEFAULT VALUES;`,
    );
    await migrate({ url: database.url, directory });
    await skipUsedIds({ ...database, versioned: ['readers'] });
    await skipUsedIds(database);
    await using postgres = await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      statementTimeoutMs: 60_000,
    });
    expect(await postgres.query('INSERT INTO shelves DEFAULT VALUES RETURNING shelf_id')).toEqual([
      { shelf_id: 2_000_002 },
    ]);
    expect(await postgres.query('INSERT INTO "Books" DEFAULT VALUES RETURNING book_id')).toEqual([
      { book_id: 2_000_001n },
    ]);
    expect(await postgres.query("SELECT nextval('loans')")).toEqual([{ nextval: 2_000_001n }]);
    // What is told from now on counts as later than all that was told after the backup.
    expect(await postgres.query('SELECT version FROM readers ORDER BY name')).toEqual([
      { version: 1_000_003 },
      { version: 1_000_000 },
    ]);
  });
});
