import { type Drill, elsewhere, run } from '../../drill.ts';

const rolledSecret = 'whsec_rolled_at_the_card_provider_and_nowhere_else';

/** The secret of the endpoint was replaced at the card provider, but not in billing. */
export const webhookFailures: Drill = {
  alert: 'WebhookFailures',
  severity: 'page',
  // Billing asks about a payment after five minutes at the soonest, so the range must cover them.
  faster: { ranges: 3 },
  firesWithinS: 1_200,
  cause: async (system) => {
    await restartStripe(system, rolledSecret);
    for (const title of ['First', 'Second', 'Third']) await system.trade.payByCard(title);
  },
  mend: [
    elsewhere('the new secret of the endpoint is in the store of secrets', async ({ setEnv }) =>
      setEnv('billing', { STRIPE_TEST_WEBHOOK_SECRET: rolledSecret }),
    ),
    run('restart billing'),
    elsewhere('somebody pays by card', async ({ trade }) => void (await trade.payByCard('After the repair'))),
  ],
};

async function restartStripe(system: Parameters<Drill['cause']>[0], secret: string): Promise<void> {
  system.setEnv('stripe-simulator', { STRIPE_TEST_WEBHOOK_SECRET: secret });
  await system.stop('stripe-simulator');
  await system.start('stripe-simulator');
}
