import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/eventually';
import { organisationWithRoles, type TestOrganisation } from './portal-members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

/** Twice as many as the portal has connections to the store. */
const requests = 20;

let portal: PortalUnderTest;
let busy: TestOrganisation;
let other: TestOrganisation;
let key: string;
beforeAll(async () => {
  portal = await startPortalUnderTest();
  busy = await organisationWithRoles(portal);
  other = await organisationWithRoles(portal);
  key = (await portal.gateway.createKey(other.organisationId)).key;
});
afterAll(async () => portal[Symbol.asyncDispose]());

/** For what the transaction of this connection has locked. */
async function untilSomebodyWaits(): Promise<void> {
  await eventually(async () => {
    const { rows } = await portal.database.query(
      `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
    );
    expect(rows).not.toEqual([]);
  });
}

describe('whoever asks for more than can be done at once', () => {
  it.each([
    [
      'changes of the organisation',
      (id: number) => `SELECT 1 FROM organisations WHERE id = ${id} FOR UPDATE`,
      () => busy.admin.call('PATCH', '/organisation', { tradingName: 'Another name' }),
      200,
    ],
    [
      'changes of the session',
      (id: number) => `SELECT 1 FROM people WHERE organisation_id = ${id} FOR UPDATE`,
      () => busy.marketer.call('POST', '/session/organisation', { organisationId: 999_999 }),
      404,
    ],
    ['pages of the call log', () => 'LOCK TABLE calls', () => busy.developer.call('GET', '/calls'), 200],
  ])('keeps neither the API of others waiting nor their portal: %s', async (_what, lock, ask, status) => {
    const { database, gateway } = portal;
    await database.query('BEGIN');
    await database.query(lock(busy.organisationId));
    const replies = Array.from({ length: requests }, ask);
    try {
      await untilSomebodyWaits();
      const others = await Promise.all([
        gateway.call('/categories', { key }),
        gateway.call('/readyz'),
        gateway.call('/status.json'),
        other.developer.call('GET', '/keys'),
      ]);
      expect(others.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    } finally {
      await database.query('COMMIT');
    }
    expect((await Promise.all(replies)).map((reply) => reply.status)).toEqual(Array(requests).fill(status));
  });
});

describe('a portal in which nothing moves', () => {
  it('keeps the API going, and the status up', async () => {
    const { database, gateway } = portal;
    const { key: freshKey } = await gateway.createKey(other.organisationId);
    await database.query('BEGIN');
    await database.query('LOCK TABLE portal_sessions');
    const replies = Array.from({ length: requests }, () => busy.admin.call('GET', '/session'));
    try {
      await untilSomebodyWaits();
      const others = await Promise.all([
        gateway.call('/categories', { key: freshKey }),
        gateway.call('/readyz'),
        gateway.call('/status.json'),
      ]);
      expect(others.map((reply) => reply.status)).toEqual([200, 200, 200]);
    } finally {
      await database.query('COMMIT');
    }
    await Promise.all(replies);
  });
});
