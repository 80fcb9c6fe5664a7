/**
 * Decision 25, revoked on every replica, under load: a key that was rolled works on no replica any more once the roll
 * has answered.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';

type Key = { readonly id: number; readonly key: string };

const open = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
let replicas: readonly string[];
let organisationId: number;

beforeAll(async () => {
  gateway = open.use(await startGatewayUnderTest());
  const second = open.use(await gateway.startReplica());
  replicas = [gateway.url, second.url];
  organisationId = await gateway.register();
});
afterAll(async () => open.disposeAsync());

async function statusOf(replica: string, key: string): Promise<number> {
  return (await gateway.call('/categories', { key, base: replica, once: true })).status;
}

/** The organisation's own load: its key in use on every replica, one request after the other, until told to stop. */
function use(key: string): { accepted: () => number; stop: () => Promise<{ accepted: number }> } {
  const load = { stopped: false, accepted: 0 };
  const callers = replicas.map(async (replica) => {
    while (!load.stopped) if ((await statusOf(replica, key)) === 200) load.accepted += 1;
  });
  return {
    accepted: () => load.accepted,
    stop: async () => {
      load.stopped = true;
      await Promise.all(callers);
      return { accepted: load.accepted };
    },
  };
}

/** Rolls until it is answered: a machine that is overloaded may say 503, with nothing done. */
async function roll({ id }: Key): Promise<Key> {
  return eventually(async () => {
    const { status, body } = await gateway.admin('POST', `/keys/${id}/roll`);
    expect(status).toBe(200);
    return body as Key;
  });
}

describe('a key in use on two replicas', () => {
  // Few: each keeps both replicas busy without a pause, and a roll has two seconds.
  const lanes = 10;
  const rollsEach = runs(10, 100);

  it(`is refused everywhere from the answer of its roll on: ${lanes * rollsEach} rolls`, async () => {
    let [accepted, refused] = [0, 0];
    const lane = async () => {
      let current = await gateway.createKey(organisationId);
      for (let turn = 0; turn < rollsEach; turn += 1) {
        const load = use(current.key);
        const old = current;
        current = await roll(old);
        // Before anything else is awaited: these requests leave after the roll has answered.
        const answers = await Promise.all(replicas.map((replica) => statusOf(replica, old.key)));
        // On a machine that is overloaded 503 is an honest answer too; accepted is what the old key must not be.
        expect(answers).not.toContain(200);
        refused += answers.filter((status) => status === 401).length;
        accepted += (await load.stop()).accepted;
        for (const replica of replicas) {
          await eventually(async () => expect(await statusOf(replica, current.key)).toBe(200));
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(refused).toBeGreaterThan(lanes * rollsEach);
    // The load was real: the old keys worked while they were being rolled.
    expect(accepted).toBeGreaterThan(lanes * rollsEach);
  }, 300_000);

  it('that is disabled is refused everywhere from that answer on', async () => {
    const { id, key } = await gateway.createKey(organisationId);
    const load = use(key);
    await eventually(() => expect(load.accepted()).toBeGreaterThan(0));
    await eventually(async () =>
      expect((await gateway.admin('POST', `/keys/${id}/disable`)).status).toBe(200),
    );
    const answers = await Promise.all(replicas.map((replica) => statusOf(replica, key)));
    expect(answers).not.toContain(200);
    for (const replica of replicas)
      await eventually(async () => expect(await statusOf(replica, key)).toBe(401));
    await load.stop();
  });
});
