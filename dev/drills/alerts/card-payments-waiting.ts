import { cardProblemsReply } from '@offer-ads/contracts/admin-billing-api';
import { z } from 'zod';
import { type Drill, elsewhere, run } from '../drill.ts';
import { runLine } from '../runbook-line.ts';
import type { DrillSystem } from '../system.ts';
import { payByCard } from '../traffic.ts';

/** Money is given back at the card provider, and nobody has said who bears it. */
export const cardPaymentsWaiting: Drill = {
  alert: 'CardPaymentsWaiting',
  cause: async (system) => {
    const { sessionId } = await payByCard(system);
    const refund = `${system.addresses.stripe}/sim/sessions/${sessionId}/refund`;
    const reply = await fetch(refund, { method: 'POST' });
    if (!reply.ok) throw new Error(`the refund was answered with ${reply.status}`);
  },
  mend: [
    run('admin card problems --limit 20'),
    elsewhere('a person has decided: admin card settle', settleAll),
  ],
};

/** What the tool prints: amounts are for people, the rest is as billing says it. */
const { element } = cardProblemsReply.shape.reversals;
const printed = z.object({
  reversals: z.array(element.pick({ id: true, taken: true, returned: true, settlement: true })),
});

async function settleAll(system: DrillSystem): Promise<void> {
  const { reversals } = printed.parse(JSON.parse(await runLine(system, 'admin card problems --json')));
  for (const { id, taken, returned, settlement } of reversals)
    if (taken && !returned && settlement === null)
      await runLine(system, `admin card settle ${id} --by platform --reason drill`);
}
