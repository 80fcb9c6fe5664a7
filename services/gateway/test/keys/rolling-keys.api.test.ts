/** Decision 25, revoked on every replica, under load: a rolled or disabled key works on no replica once the change is answered. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayUnderTest } from '../gateway-under-test.ts';

type Key = { readonly id: number; readonly key: string };

const gateway = forAllTests(() => startGatewayUnderTest());
let replicas: readonly string[];
let organisationId: number;

beforeAll(async () => {
  const second = await gateway.startReplica();
  replicas = [gateway.url, second.url];
  organisationId = await gateway.register();
});

async function statusOf(replica: string, key: string): Promise<number> {
  return (await gateway.call('/categories', { key, base: replica, once: true })).status;
}

/** Uses the key on every replica, one request after the other, until it is stopped. */
function use(key: string) {
  const load = { stopped: false, accepted: 0 };
  const callers = replicas.map(async (replica) => {
    while (!load.stopped) if ((await statusOf(replica, key)) === 200) load.accepted += 1;
  });
  const stop = () => {
    load.stopped = true;
    return Promise.all(callers);
  };
  return { accepted: () => load.accepted, stop };
}

/** Repeated until it succeeds: an overloaded machine may answer 503, and then nothing was changed. */
async function change<T>(id: number, action: 'roll' | 'disable'): Promise<T> {
  return eventually(async () => {
    const { status, body } = await gateway.admin('POST', `/keys/${id}/${action}`);
    expect(status).toBe(200);
    return body as T;
  });
}

describe('a key in use on two replicas', () => {
  // Not more, because each keeps both replicas busy, and a roll must be done within two seconds.
  const lanes = 10;
  const rollsEach = runs(3, 100);

  it('is refused everywhere as soon as its roll was answered', async () => {
    let [accepted, refused] = [0, 0];
    const lane = async () => {
      let current = await gateway.createKey(organisationId);
      for (let turn = 0; turn < rollsEach; turn += 1) {
        const load = use(current.key);
        const old = current;
        current = await change<Key>(old.id, 'roll');
        // Sent at once after the answer of the roll.
        const answers = await Promise.all(replicas.map((replica) => statusOf(replica, old.key)));
        // An overloaded machine may answer 503.
        expect(answers).not.toContain(200);
        refused += answers.filter((status) => status === 401).length;
        await load.stop();
        accepted += load.accepted();
        for (const replica of replicas) {
          await eventually(async () => expect(await statusOf(replica, current.key)).toBe(200));
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(refused).toBeGreaterThan(lanes * rollsEach);
    // The old keys worked while they were being rolled.
    expect(accepted).toBeGreaterThan(lanes * rollsEach);
  }, 300_000);

  it('is refused everywhere as soon as its disabling was answered', async () => {
    const { id, key } = await gateway.createKey(organisationId);
    const load = use(key);
    await eventually(() => expect(load.accepted()).toBeGreaterThan(0));
    await change(id, 'disable');
    const answers = await Promise.all(replicas.map((replica) => statusOf(replica, key)));
    expect(answers).not.toContain(200);
    for (const replica of replicas)
      await eventually(async () => expect(await statusOf(replica, key)).toBe(401));
    await load.stop();
  });
});
