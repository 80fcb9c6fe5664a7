import { statementReply } from '@offer-ads/contracts/internal/billing-api';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { z } from 'zod';
import { type Drill, elsewhere, run } from '../../drill.ts';
import { refund } from '../../faults/traffic.ts';
import { runLine } from '../../runbooks/runbook-line.ts';
import type { DrillSystem } from '../../system.ts';
import { settleAll } from './card-payments-waiting.ts';

/** An offer is deleted and credited, and then its payment is also refunded at the card provider. */
export const creditsOwed: Drill = {
  alert: 'CreditsOwed',
  cause: async (system) => {
    const { offerId, sessionId } = await system.trade.payByCard('Deleted and given back');
    await eventually(() => system.trade.delete(offerId));
    await eventually(async () => {
      if (!(await credited(system, offerId))) throw new Error(`offer ${offerId} is not credited yet`);
    });
    await refund(system, sessionId);
  },
  mend: [
    run('admin card problems --limit 20'),
    elsewhere('a person has decided: admin card settle', settleAll),
  ],
};

const printed = z.object({
  entries: z.array(statementReply.shape.entries.element.pick({ kind: true, offerId: true })),
});

async function credited(system: DrillSystem, offerId: number): Promise<boolean> {
  const line = `admin balance statement --org ${system.organisation.id} --mode test --limit 10 --json`;
  const { entries } = printed.parse(JSON.parse(await runLine(system, line)));
  return entries.some((entry) => entry.kind === 'unused-time-credit' && entry.offerId === offerId);
}
