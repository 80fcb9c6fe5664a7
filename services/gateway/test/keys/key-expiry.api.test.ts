/** Authentication item 9: keys may expire, at an instant, whatever a replica remembers of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';

const expiresAt = '2026-06-01T13:00:00.000Z';
const lastMoment = '2026-06-01T12:59:59.999Z';

const clock = testClock();
let gateway: GatewayUnderTest;
let organisationId: number;
beforeAll(async () => {
  gateway = await startGatewayUnderTest({ clock });
  organisationId = await gateway.register();
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(() => clock.set('2026-06-01T12:00:00.000Z'));

async function statusAt(instant: string, key: string): Promise<number> {
  clock.set(instant);
  const { status, body } = await gateway.call('/categories', { key });
  if (status === 401) expect(body).toEqual({ message: 'Unauthorised' });
  return status;
}

describe('a key with an expiry date', () => {
  it('works until the last millisecond and is refused at the very instant, while it is still remembered', async () => {
    const { key } = await gateway.createKey(organisationId, { expiresAt });
    expect(await statusAt(lastMoment, key)).toBe(200);
    // Well within the second for which the look-up is remembered.
    expect(await statusAt(expiresAt, key)).toBe(401);
  });

  it('is refused at the very instant when it was not used before', async () => {
    const { key } = await gateway.createKey(organisationId, { expiresAt });
    expect(await statusAt(expiresAt, key)).toBe(401);
  });

  it('hands its expiry down when it is rolled', async () => {
    const { id } = await gateway.createKey(organisationId, { expiresAt });
    const { body } = await gateway.admin('POST', `/keys/${id}/roll`);
    const { key } = body as { key: string };
    expect(await statusAt(lastMoment, key)).toBe(200);
    expect(await statusAt(expiresAt, key)).toBe(401);
  });
});

describe('a key without one', () => {
  it('works on, for decades', async () => {
    const { key } = await gateway.createKey(organisationId);
    expect(await statusAt('2060-01-01T00:00:00.000Z', key)).toBe(200);
  });
});
