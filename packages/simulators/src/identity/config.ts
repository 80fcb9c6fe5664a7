import { httpUrl, port, readConfig, secret } from '@offer-ads/platform/config/config';
import { z } from 'zod';

export function readIdentitySimulatorConfig(env: NodeJS.ProcessEnv = process.env) {
  return readConfig(
    z.object({
      HOST: z.string().default('127.0.0.1'),
      PORT: port.default(8070),
      /** Where browsers reach it; by default the same as for the console. */
      BROWSER_URL: httpUrl.optional(),
      /** How the console reaches it. */
      ISSUER_URL: httpUrl.optional(),
      CLIENT_ID: z.string().default('console'),
      CONSOLE_OIDC_CLIENT_SECRET: secret,
      CONSOLE_URL: httpUrl,
    }),
    env,
  );
}
