/** A MongoDB database for one test file. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { requireAddress } from '../config.ts';

export type TestMongo = { readonly url: string; readonly dispose: () => Promise<void> };

/** It is created when the test writes. Dispose it in `afterAll`. */
export async function createTestMongo(): Promise<TestMongo> {
  const url = new URL(requireAddress('mongo'));
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  const dispose = async () => {
    const client = new MongoClient(url.href);
    try {
      await client.db().dropDatabase();
    } finally {
      await client.close();
    }
  };
  return { url: url.href, dispose };
}
