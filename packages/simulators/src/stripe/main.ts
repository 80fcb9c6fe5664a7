import { runSimulator } from '../web-server.ts';
import { readStripeSimulatorConfig } from './config.ts';
import { startStripeSimulator } from './server.ts';

await runSimulator('Stripe simulator', () => {
  const config = readStripeSimulatorConfig();
  return startStripeSimulator({
    host: config.HOST,
    port: config.PORT,
    webhookUrl: config.WEBHOOK_URL,
    webhookSecrets: { TEST: config.STRIPE_TEST_WEBHOOK_SECRET, LIVE: config.STRIPE_LIVE_WEBHOOK_SECRET },
    ...(config.PUBLIC_URL ? { publicUrl: config.PUBLIC_URL } : {}),
    ...(config.STATE_FILE ? { stateFile: config.STATE_FILE } : {}),
  });
});
