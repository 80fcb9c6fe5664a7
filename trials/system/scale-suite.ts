/** The trials of `npm run scale` at a small size: one filled store, and two replicas of each service. */
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import type { System } from '../harness/system.ts';
import { runReplicas } from '../scale/replicas/run-replicas.ts';
import { prepareStore } from '../scale/store/prepare-store.ts';
import { askAll } from '../scale/store/requests.ts';

export function describeScale(system: () => System): void {
  describe('a store with thousands of offers that were filled in', () => {
    it('answers every endpoint, and its ledger is right', async () => {
      const size = { offers: 3_000, organisations: 300, callers: 2 };
      const { callers, ledgerProblems } = await prepareStore(system(), size, () => {});
      const asked = new Set<string>();
      for (let turn = 0; turn < 2; turn += 1)
        await askAll(callers, turn, async (endpoint, ask) => {
          asked.add(endpoint);
          return ask();
        });
      expect(asked.size).toBeGreaterThan(40);
      expect(await ledgerProblems()).toEqual([]);
    }, 300_000);
  });

  it('with two replicas of each service, a deploy that replaces all of them fails no request', async () => {
    const printed: string[] = [];
    const plan = { replicas: 2, idleMs: 1_000, lightLoadMs: 3_000, servicesAtOnce: 3 };
    const { replicas } = system();
    const isFine = await runReplicas(plan, { system: system(), say: (line) => printed.push(line) });
    if (!isFine) throw new Error(printed.join('\n'));
    expect(printed.join('\n')).toMatch(/^\| all \| [1-9]\d* \|/m);
    await Promise.all(
      serviceNames
        .flatMap((service) => replicas.of(service).slice(1))
        .map((surplus) => replicas.retire(surplus)),
    );
  }, 600_000);
}
