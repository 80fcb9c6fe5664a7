import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Drill, elsewhere, run } from '../../drill.ts';
import { estimate } from '../../faults/traffic.ts';
import type { DrillSystem } from '../../system.ts';

const BUDGET = 5;
/** Prometheus must see the metric before it rises. */
const SEEN_AFTER_MS = 5_000;

/** Somebody asks for places where nobody lives, one after the other. */
export const privacyBudgetUsedUp: Drill = {
  alert: 'PrivacyBudgetUsedUp',
  cause: async (system) => {
    await system.stop('pricing');
    system.setEnv('pricing', { PRIVACY_BUDGET_PER_DAY: String(BUDGET) });
    await system.start('pricing');
    await eventually(() => ask(system, 60));
    await pause(SEEN_AFTER_MS);
    for (let more = 1; more <= BUDGET; more += 1) await eventually(() => ask(system, 60 + more));
  },
  mend: [
    run('admin org show 1'),
    elsewhere('the caller stops, and the day is over', async (system) => {
      await system.stop('pricing');
      system.setEnv('pricing', { PRIVACY_BUDGET_PER_DAY: '1000000' });
      await system.start('pricing');
    }),
  ],
};

async function ask(system: DrillSystem, latitude: number): Promise<void> {
  const reply = await estimate(system, [latitude, -30]);
  await reply.body?.cancel();
  if (!reply.ok) throw new Error(`the estimate was answered with ${reply.status}`);
}
