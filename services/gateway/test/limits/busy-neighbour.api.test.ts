/** An organisation that asks for more than can be done at once keeps nobody else waiting. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Reply } from '../gateway-under-test.ts';
import { organisationWithRoles, type TestOrganisation } from '../portal/members.ts';
import { startPortalUnderTest } from '../portal/portal-under-test.ts';

/** Twice as many as the portal has connections to the store. */
const requests = 20;

const portal = forAllTests(() => startPortalUnderTest());
let busy: TestOrganisation;
let other: TestOrganisation;
let key: string;
beforeAll(async () => {
  busy = await organisationWithRoles(portal);
  other = await organisationWithRoles(portal);
  key = (await portal.gateway.createKey(other.organisationId)).key;
});

/** Resolves when a transaction waits for what this connection has locked. */
async function untilSomeoneWaits(): Promise<void> {
  await eventually(async () => {
    const { rows } = await portal.database.query(
      `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
    );
    expect(rows).not.toEqual([]);
  });
}

/**
 * Runs `check` while all these requests wait for what the statement locks, and returns their replies once it is free. Repeats it if the
 * time of a request, two seconds, was over before, as on a machine that stands still: then nothing may have waited during the check.
 */
async function whileAllWait(
  lock: string,
  ask: () => Promise<Reply>,
  check: () => Promise<void>,
): Promise<readonly Reply[]> {
  const { database } = portal;
  return eventually(async () => {
    await database.query('BEGIN');
    const replies: Promise<Reply>[] = [];
    try {
      await database.query(lock);
      for (let count = 0; count < requests; count += 1) replies.push(ask());
      await untilSomeoneWaits();
      await eventually(check);
    } finally {
      await database.query('COMMIT');
      await Promise.all(replies);
    }
    const answered = await Promise.all(replies);
    if (answered.some(({ status }) => status === 503)) throw new Error('the time of a request was over');
    return answered;
  });
}

describe('requests of one organisation that wait for each other', () => {
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
  ])('keep neither the API nor the portal of others waiting: %s', async (_what, lock, ask, status) => {
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

describe('a portal whose requests all wait', () => {
  it('stops neither the API nor the status page', async () => {
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
