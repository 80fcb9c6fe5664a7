import { cardProblemsReply } from '@offer-ads/contracts/admin/billing-api';
import { z } from 'zod';
import { type Drill, elsewhere, run } from '../../drill.ts';
import { refund } from '../../faults/traffic.ts';
import { runLine } from '../../runbooks/runbook-line.ts';
import type { DrillSystem } from '../../system.ts';

/** A payment is refunded at the card provider, and nobody has decided who bears it. */
export const cardPaymentsWaiting: Drill = {
  alert: 'CardPaymentsWaiting',
  cause: async (system) => {
    const { sessionId } = await system.trade.payByCard('Given back');
    await refund(system, sessionId);
  },
  mend: [
    run('admin card problems --limit 20'),
    elsewhere('a person has decided: admin card settle', settleAll),
  ],
};

/** The output of the tool; only its amounts are formatted for people. */
const { element } = cardProblemsReply.shape.reversals;
const printed = z.object({
  reversals: z.array(element.pick({ id: true, taken: true, returned: true, settlement: true })),
});

export async function settleAll(system: DrillSystem): Promise<void> {
  const { reversals } = printed.parse(JSON.parse(await runLine(system, 'admin card problems --json')));
  for (const { id, taken, returned, settlement } of reversals)
    if (taken && !returned && settlement === null)
      await runLine(system, `admin card settle ${id} --by platform --reason drill`);
}
