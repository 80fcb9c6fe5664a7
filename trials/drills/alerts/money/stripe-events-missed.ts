import { type Drill, elsewhere, run } from '../../drill.ts';
import { refund } from '../../faults/traffic.ts';

/**
 * The card provider's webhooks get lost, and one of them tells of a refund. Its list of events is asked about those that are ten
 * minutes old, every ten minutes.
 */
export const stripeEventsMissed: Drill = {
  alert: 'StripeEventsMissed',
  // The list is read every ten minutes, whatever hurry we are in.
  faster: { ages: 1 },
  firesWithinS: 1_500,
  cause: async (system) => {
    const { sessionId } = await system.trade.payByCard('Given back unheard');
    await system.simulate('stripe', { lose: true });
    await refund(system, sessionId);
    await system.simulate('stripe', {});
  },
  mend: [
    elsewhere('the endpoint takes every event again', async () => {}),
    run('admin card problems --limit 3'),
  ],
};
