import { port, readConfig } from '@offer-ads/platform/config/config';
import { z } from 'zod';

export function readSampleCommunityConfig(env: NodeJS.ProcessEnv = process.env) {
  return readConfig(
    z.object({
      HOST: z.string().default('127.0.0.1'),
      PORT: port.default(8095),
      API_URL: z.url().meta({ description: 'The public API, which answers `/placements`.' }),
      TEST_PLACEMENT_KEY: z.string(),
      LIVE_PLACEMENT_KEY: z.string(),
    }),
    env,
  );
}
