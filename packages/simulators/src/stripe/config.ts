import { httpUrl, isSecret, port, readConfig } from '@offer-ads/platform/config/config';
import { z } from 'zod';

export function readStripeSimulatorConfig(env: NodeJS.ProcessEnv = process.env) {
  return readConfig(
    z.object({
      HOST: z.string().default('127.0.0.1'),
      PORT: port.default(12111),
      PUBLIC_URL: httpUrl.optional(),
      WEBHOOK_URL: httpUrl,
      STRIPE_TEST_WEBHOOK_SECRET: z.string().min(1).meta(isSecret),
      STRIPE_LIVE_WEBHOOK_SECRET: z.string().min(1).meta(isSecret),
      STATE_FILE: z.string().optional(),
    }),
    env,
  );
}
