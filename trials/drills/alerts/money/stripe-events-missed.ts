import { type Drill, elsewhere, run } from '../../drill.ts';
import { refund } from '../../faults/traffic.ts';

/**
 * Webhooks of the card provider are lost, among them one about a refund. Every ten minutes billing reads the provider's list of
 * events that are at least ten minutes old.
 */
export const stripeEventsMissed: Drill = {
  alert: 'StripeEventsMissed',
  // The list is read every ten minutes, also with accelerated rules.
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
