import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type LoggedCall, refusal } from '../gateway-under-test.ts';
import { organisationWithRoles, type TestOrganisation } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

type Page = { calls: LoggedCall[]; nextCursor: string | null };

const portal = forAllTests(() => startPortalUnderTest());
let cafe: TestOrganisation;
let till: { id: number; key: string };
let spare: { id: number; key: string };
const times: string[] = [];

beforeAll(async () => {
  cafe = await organisationWithRoles(portal);
  const other = await organisationWithRoles(portal);
  till = await portal.gateway.createKey(cafe.organisationId);
  spare = await portal.gateway.createKey(cafe.organisationId, { mode: 'LIVE' });
  const theirs = await portal.gateway.createKey(other.organisationId);
  const paths = ['/categories', '/interests', '/nowhere', '/categories'];
  for (const [minute, path] of paths.entries()) {
    times.push(portal.clock.now().toISOString());
    const headers = { 'x-request-id': `request-${minute}` };
    await portal.gateway.call(path, { key: minute === 1 ? spare.key : till.key, headers });
    await portal.gateway.call('/offers', { key: theirs.key });
    portal.clock.advance(60_000);
  }
  const { database } = portal;
  await eventually(async () => {
    const { rowCount } = await database.query('SELECT 1 FROM calls WHERE status <> 503');
    if (rowCount !== 2 * times.length) throw new Error('not all calls are logged yet');
  });
  // A busy machine may have answered 503 first, and that is logged too.
  await database.query('DELETE FROM calls WHERE status = 503');
});

const ask = (query: Record<string, string> = {}) =>
  cafe.developer.call('GET', `/calls?${new URLSearchParams(query).toString()}`);
const read = async (query: Record<string, string> = {}) => (await ask(query)).body as Page;

describe('GET /portal/api/calls', () => {
  it("lists the calls of the organisation's keys, newest first, with exactly the fields that are kept", async () => {
    const { calls, nextCursor } = await read();
    expect(nextCursor).toBeNull();
    expect(calls.map(({ at }) => at)).toEqual(times.toReversed());
    expect(calls.at(-1)).toEqual({
      keyId: till.id,
      mode: 'TEST',
      lastFour: till.key.slice(-4),
      route: 'GET /categories',
      status: 200,
      returnCode: 'S1',
      durationMs: expect.any(Number),
      at: times[0],
      requestId: 'request-0',
      guideEntry: null,
    });
    expect(calls[1]).toMatchObject({ status: 404, guideEntry: 'not-from-an-endpoint' });
  });

  it.each([
    ['a key', () => ({ key_id: String(spare.id) }), [1]],
    ['a mode', () => ({ mode: 'LIVE' }), [1]],
    ['the id that a caller has given its request', () => ({ request_id: 'request-2' }), [2]],
    ['a class of statuses', () => ({ status: '2xx' }), [3, 1, 0]],
    ['a time, from (inclusive) to (exclusive)', () => ({ from: times[1]!, to: times[3]! }), [2, 1]],
    ['all at once', () => ({ key_id: String(till.id), route: 'GET /categories', status: '200' }), [3, 0]],
  ])('is filtered by %s', async (_what, query, minutes) => {
    const { calls } = await read(query());
    expect(calls.map(({ at }) => at)).toEqual(minutes.map((minute) => times[minute]));
  });

  it('continues after a page with its cursor', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await read({ limit: '3', ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.calls.map(({ at }) => at));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(times.toReversed());
  });

  it("finds nothing under another organisation's key", async () => {
    const other = await organisationWithRoles(portal);
    const { body } = await other.developer.call('GET', `/calls?key_id=${till.id}`);
    expect(body).toEqual({ calls: [], nextCursor: null });
  });

  it.each([
    [{ key_id: 'abc' }, 'key_id'],
    [{ status: '2x' }, 'status'],
    [{ from: 'yesterday' }, 'from'],
    [{ to: '2026-06-01' }, 'to'],
    [{ limit: '201' }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ route: '' }, 'route'],
    [{ route: 'GET /\0' }, 'route'],
  ])('refuses %j and names the parameter: 400', async (query, word) => {
    expect(await ask(query)).toMatchObject(refusal(400, `${word}: `));
  });
});

describe('GET /admin/organisations/{id}/calls', () => {
  it('shows the same log with the same filters', async () => {
    const calls = await portal.gateway.callsOf(cafe.organisationId, 'status=4xx');
    expect(calls).toMatchObject([{ status: 404, at: times[2] }]);
  });
});
