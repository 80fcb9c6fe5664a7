import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { insertRequest, takeRequest } from '../../src/sign-in/sign-in-store.ts';
import { insertSignUp, takeSignUp } from '../../src/sign-up/sign-up-store.ts';
import { connect, storePatienceMs } from '../call-log/calls-database.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const open = new AsyncDisposableStack();
let postgres: Postgres;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  postgres = open.use(await connect(database.url, { statementTimeoutMs: storePatienceMs }));
});
afterAll(async () => open.disposeAsync());

describe('requests to sign in', () => {
  it('are taken oldest first, each by one of several concurrent transactions', async () => {
    for (let count = 0; count < 4; count += 1)
      await insertRequest(postgres, { email: `p${count}@cafe.test`, at });
    const taken: string[] = [];
    const all = Promise.withResolvers<void>();
    const takeOne = () =>
      postgres.transaction(async (tx) => {
        if (taken.push((await takeRequest(tx))?.email ?? 'nothing') === 3) all.resolve();
        await all.promise;
      });
    await Promise.all([takeOne(), takeOne(), takeOne()]);
    expect(taken.toSorted()).toEqual(['p0@cafe.test', 'p1@cafe.test', 'p2@cafe.test']);
  });

  it('are refused if ten thousand wait', async () => {
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

describe('requests to sign up beyond a thousand an hour, of which no network keeps others out', () => {
  it('are answered for the networks with the fewest answers and requests first, then in turn, and ten a minute', async () => {
    await postgres.query('DELETE FROM sign_ups');
    const halfAnHourAgo = new Date(at.getTime() - 30 * 60_000);
    await postgres.query(
      `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at, answered_at)
       SELECT n, 'N', 'T', 'GB', 'GBP', $1, $1 FROM generate_series(1, 1000) n`,
      [halfAnHourAgo],
    );
    const wish = { name: 'N', tradingName: 'T', country: 'GB', currency: 'GBP' };
    const waiting = [...Array.from({ length: 9 }, (_, number) => `a${number}`), 'b0', 'b1', 'c0'];
    for (const adminEmail of waiting)
      await insertSignUp(postgres, { wish: { ...wish, adminEmail }, prefix: adminEmail.slice(0, 1), at });
    const taken: (string | undefined)[] = [];
    for (let count = 0; count < 11; count += 1)
      taken.push((await postgres.transaction((tx) => takeSignUp(tx, at)))?.adminEmail);
    const ofBusiest = ['a2', 'a3', 'a4', 'a5', 'a6'];
    expect(taken).toEqual(['c0', 'b0', 'a0', 'b1', 'a1', ...ofBusiest, undefined]);
  });
});
