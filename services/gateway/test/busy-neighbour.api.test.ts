import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/eventually';
import { organisationWithRoles, type TestOrganisation } from './portal-members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

/** Twice as many as the portal has connections to the store. */
const changes = 20;

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

describe('whoever asks for changes faster than they can take their turns', () => {
  it.each([
    [
      'of the organisation',
      'SELECT 1 FROM organisations WHERE id = $1 FOR UPDATE',
      () => busy.admin.call('PATCH', '/organisation', { tradingName: 'Another name' }),
      200,
    ],
    [
      'of the session',
      'SELECT 1 FROM people WHERE organisation_id = $1 FOR UPDATE',
      () => busy.marketer.call('POST', '/session/organisation', { organisationId: 999_999 }),
      404,
    ],
  ])(
    'keeps neither the API of others waiting nor their portal: changes %s',
    async (_what, lock, change, status) => {
      const { database, gateway } = portal;
      await database.query('BEGIN');
      await database.query(lock, [busy.organisationId]);
      const replies = Array.from({ length: changes }, change);
      try {
        await eventually(async () => {
          const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`;
          expect((await database.query(waiting)).rows).not.toEqual([]);
        });
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
      expect((await Promise.all(replies)).map((reply) => reply.status)).toEqual(Array(changes).fill(status));
    },
  );
});
