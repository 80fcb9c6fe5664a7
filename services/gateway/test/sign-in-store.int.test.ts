import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/metrics';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres';
import { createTestDatabase } from '@offer-ads/testing/database';
import { silentLogger } from '@offer-ads/testing/logger';
import { insertRequest, takeRequest } from '../src/sign-in-store.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const open = new AsyncDisposableStack();
let postgres: Postgres;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  postgres = open.use(
    await openPostgres({ url: database.url, logger: silentLogger, metrics: createMetrics('gateway') }),
  );
});
afterAll(async () => open.disposeAsync());

describe('requests to sign in', () => {
  it('are taken oldest first, each by one of those who look at once', async () => {
    for (let count = 0; count < 4; count += 1)
      await insertRequest(postgres, { email: `p${count}@cafe.test`, at });
    const taken: string[] = [];
    let waiting = 3;
    let letGo = () => {};
    const all = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const takeOne = () =>
      postgres.transaction(async (tx) => {
        taken.push((await takeRequest(tx))?.email ?? 'nothing');
        if ((waiting -= 1) === 0) letGo();
        await all;
      });
    await Promise.all([takeOne(), takeOne(), takeOne()]);
    expect(taken.toSorted()).toEqual(['p0@cafe.test', 'p1@cafe.test', 'p2@cafe.test']);
  });

  it('are refused when ten thousand wait: the queue has an end', async () => {
    await postgres.query('DELETE FROM sign_in_requests');
    await postgres.query(
      `INSERT INTO sign_in_requests (email, requested_at)
       SELECT 'p' || n || '@cafe.test', $1 FROM generate_series(1, 10000) AS n`,
      [at],
    );
    expect(await insertRequest(postgres, { email: 'last@cafe.test', at })).toBe(true);
    expect(await insertRequest(postgres, { email: 'beyond@cafe.test', at })).toBe(false);
  });
});
