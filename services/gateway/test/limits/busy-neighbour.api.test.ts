import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Reply } from '../gateway-under-test.ts';
import { organisationWithRoles, type TestOrganisation } from '../portal/members.ts';
import { type PortalUnderTest, startPortalUnderTest } from '../portal/portal-under-test.ts';

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

/**
 * Has `look` done while all these requests wait for what the statement locks; gives what they are answered once it is free. Done again
 * when the time of one was over before, two seconds on a machine that stands still: then what was found was found in calm. So
 * whoever were kept waiting until then would be found waiting each time.
 */
async function whileAllWait(
  lock: string,
  ask: () => Promise<Reply>,
  look: () => Promise<void>,
): Promise<readonly Reply[]> {
  const { database } = portal;
  return eventually(async () => {
    await database.query('BEGIN');
    const replies: Promise<Reply>[] = [];
    try {
      await database.query(lock);
      for (let count = 0; count < requests; count += 1) replies.push(ask());
      await untilSomebodyWaits();
      await eventually(look);
    } finally {
      await database.query('COMMIT');
      await Promise.all(replies);
    }
    const answered = await Promise.all(replies);
    if (answered.some(({ status }) => status === 503)) throw new Error('the time of a request was over');
    return answered;
  });
}

describe('whoever asks for more than can be done at once', () => {
  it.each([
    [
      'changes of the organisation',
      (id: number) => `SELECT 1 FROM organisations WHERE id = ${id} FOR UPDATE`,
      () => busy.admin.call('PATCH', '/organisation', { tradingName: 'Another name' }, { once: true }),
      200,
    ],
    [
      'changes of the session',
      (id: number) => `SELECT 1 FROM people WHERE organisation_id = ${id} FOR UPDATE`,
      () => busy.marketer.call('POST', '/session/organisation', { organisationId: 999_999 }, { once: true }),
      404,
    ],
    [
      'pages of the call log',
      () => 'LOCK TABLE calls',
      () => busy.developer.call('GET', '/calls', undefined, { once: true }),
      200,
    ],
  ])('keeps neither the API of others waiting nor their portal: %s', async (_what, lock, ask, status) => {
    const { gateway } = portal;
    const replies = await whileAllWait(lock(busy.organisationId), ask, async () => {
      const others = await Promise.all([
        gateway.call('/categories', { key }),
        gateway.call('/readyz', { once: true }),
        gateway.call('/status.json', { once: true }),
        other.developer.call('GET', '/keys'),
      ]);
      expect(others.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    });
    expect(replies.map((reply) => reply.status)).toEqual(Array(requests).fill(status));
  });
});

describe('a portal in which nothing moves', () => {
  it('keeps the API going, and the status up', async () => {
    const { gateway } = portal;
    const { key: freshKey } = await gateway.createKey(other.organisationId);
    const ask = () => busy.admin.call('GET', '/session', undefined, { once: true });
    await whileAllWait('LOCK TABLE portal_sessions', ask, async () => {
      const others = await Promise.all([
        gateway.call('/categories', { key: freshKey }),
        gateway.call('/readyz', { once: true }),
        gateway.call('/status.json', { once: true }),
      ]);
      expect(others.map((reply) => reply.status)).toEqual([200, 200, 200]);
    });
  });
});
