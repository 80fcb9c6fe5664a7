import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/database';
import { silentLogger } from '@offer-ads/testing/logger';
import { createMetrics } from '../src/metrics.ts';
import { migrate } from '../src/migrations.ts';
import { openPostgres } from '../src/postgres.ts';

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
    });
    const rows = await postgres.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations' ORDER BY 1`,
    );
    return rows.map((row) => row.name);
  }

  it('creates outbox and inbox and then what the service brings', async () => {
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual(['inbox', 'outbox', 'shelves']);
  });

  it('applies each file once, however often it runs', async () => {
    await migrate({ url: database.url, directory });
    await writeFile(join(directory, '0002_books.sql'), 'CREATE TABLE books (id int);');
    await migrate({ url: database.url, directory });
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual(['books', 'inbox', 'outbox', 'shelves']);
  });

  it('applies each file once when two replicas come at the same time', async () => {
    await Promise.all([migrate({ url: database.url, directory }), migrate({ url: database.url, directory })]);
    expect(await tables()).toEqual(['inbox', 'outbox', 'shelves']);
  });

  it('refuses a file that belongs before one that has run, and leaves the database as it was', async () => {
    await writeFile(join(directory, '0003_books.sql'), 'CREATE TABLE books (id int);');
    await migrate({ url: database.url, directory });
    await writeFile(join(directory, '0002_readers.sql'), 'CREATE TABLE readers (id int);');
    await writeFile(join(directory, '0004_loans.sql'), 'CREATE TABLE loans (id int);');
    await expect(migrate({ url: database.url, directory })).rejects.toThrow(
      'Not run migration 0002_readers is preceding already run migration 0003_books',
    );
    expect(await tables()).toEqual(['books', 'inbox', 'outbox', 'shelves']);
    // The way out: it comes after all that have run.
    await rename(join(directory, '0002_readers.sql'), join(directory, '0005_readers.sql'));
    await migrate({ url: database.url, directory });
    expect(await tables()).toEqual(['books', 'inbox', 'loans', 'outbox', 'readers', 'shelves']);
  });

  it('leaves nothing of a set in which one file is wrong', async () => {
    await writeFile(join(directory, '0002_books.sql'), 'CREATE TABLE books (id int); CREATE NONSENSE;');
    await expect(migrate({ url: database.url, directory })).rejects.toThrow('NONSENSE');
    expect(await tables()).toEqual(['inbox', 'outbox']);
  });
});
