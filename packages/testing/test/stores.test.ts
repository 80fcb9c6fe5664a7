import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase } from '../src/stores/database.ts';
import { createTestMongo } from '../src/stores/mongo.ts';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const tablesOf = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;

describe('databases for tests', () => {
  it('are migrated, and no test sees the writes of another', async () => {
    const [first, second] = await Promise.all([createTestDatabase('offers'), createTestDatabase('offers')]);
    await query(first.url, 'CREATE TABLE only_in_the_first (id int)');
    const tables = await query(second.url, tablesOf);
    expect(tables).toContainEqual({ table_name: 'platform_migrations' });
    expect(tables).not.toContainEqual({ table_name: 'only_in_the_first' });
    await Promise.all([first.dispose(), second.dispose()]);
  });

  it('are gone when they are disposed, also while a client is connected', async () => {
    const database = await createEmptyDatabase();
    const forgotten = new pg.Client({ connectionString: database.url });
    forgotten.on('error', () => {});
    await forgotten.connect();
    await database.dispose();
    await expect(query(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });
});

describe('MongoDB for tests', () => {
  it('has transactions, and is gone when it is disposed', async () => {
    const mongo = await createTestMongo();
    const client = new MongoClient(mongo.url);
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await client.db().collection('cats').insertOne({ name: 'Tom' }, { session });
      }),
    );
    expect(await client.db().collection('cats').countDocuments()).toBe(1);
    await mongo.dispose();
    expect(await client.db().collection('cats').countDocuments()).toBe(0);
    await client.close();
  });
});
