import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { deleteWorthlessLinks, insertRequest, takeRequest } from '../../src/sign-in/sign-in-store.ts';
import { giveUpWaiting, insertSignUp, takeSignUp } from '../../src/sign-up/sign-up-store.ts';
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

describe('used and expired links', () => {
  it('are deleted without waiting for locked ones, so that no deadlock is possible', async () => {
    const [person] = await postgres.query<{ id: number }>(
      `WITH cafe AS (INSERT INTO organisations (name, trading_name, country, currency, registered_at)
                     VALUES ('Cafe', 'Cafe', 'GB', 'GBP', $1) RETURNING id)
       INSERT INTO people (organisation_id, email, role, invited_at)
       SELECT id, 'owner@cafe.test', 'admin', $1 FROM cafe RETURNING id`,
      [at],
    );
    await postgres.query(
      `INSERT INTO sign_in_links (token_sha256, person_id, email, purpose, issued_at, expires_at)
       SELECT sha256(n::text::bytea), $1, 'owner@cafe.test', 'sign-in', $2, $2 FROM generate_series(1, 3) AS n`,
      [person?.id, at],
    );
    const deleteAll = () => deleteWorthlessLinks(postgres, { at, countedAfter: at, limit: 10 });
    const deleted = await postgres.transaction(async (tx) => {
      await tx.query(`SELECT 1 FROM sign_in_links WHERE token_sha256 = sha256('2') FOR UPDATE`);
      return deleteAll();
    });
    expect([deleted, await deleteAll()]).toEqual([2, 1]);
  });
});

describe('waiting requests to sign up', () => {
  it('are dropped if they are too old, and above a limit the latest of the networks with the most', async () => {
    const wish = { name: 'N', tradingName: 'T', country: 'GB', currency: 'GBP', adminEmail: '' };
    const ask = (adminEmail: string, prefix: string, askedAt = at) =>
      insertSignUp(postgres, { wish: { ...wish, adminEmail }, prefix, at: askedAt });
    const minute = 60_000;
    await ask('old@cafe.test', 'a', new Date(at.getTime() - minute));
    for (let count = 0; count < 5; count += 1) await ask(`a${count}@cafe.test`, 'a');
    await ask('b@cafe.test', 'b');
    await ask('c@cafe.test', 'c');
    const before = new Date(at.getTime() - minute);
    expect(await giveUpWaiting(postgres, { before, most: 4 })).toEqual({ tooOld: 1, tooMany: 3 });
    const left = await postgres.query<{ email: string }>('SELECT email FROM sign_ups ORDER BY id');
    expect(left.map(({ email }) => email)).toEqual([
      'a0@cafe.test',
      'a1@cafe.test',
      'b@cafe.test',
      'c@cafe.test',
    ]);
  });
});

describe('requests to sign up beyond a thousand an hour', () => {
  it('are answered for the networks with the fewest answers and requests first, and then in turn', async () => {
    await postgres.query('DELETE FROM sign_ups');
    const halfAnHourAgo = new Date(at.getTime() - 30 * 60_000);
    await postgres.query(
      `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at, answered_at)
       SELECT n, 'N', 'T', 'GB', 'GBP', $1, $1 FROM generate_series(1, 1000) n`,
      [halfAnHourAgo],
    );
    const wish = { name: 'N', tradingName: 'T', country: 'GB', currency: 'GBP' };
    for (const adminEmail of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0'])
      await insertSignUp(postgres, { wish: { ...wish, adminEmail }, prefix: adminEmail.slice(0, 1), at });
    const taken: (string | undefined)[] = [];
    for (let count = 0; count < 7; count += 1)
      taken.push((await postgres.transaction((tx) => takeSignUp(tx, at)))?.adminEmail);
    expect(taken).toEqual(['c0', 'b0', 'a0', 'b1', 'a1', 'a2', undefined]);
  });
});
