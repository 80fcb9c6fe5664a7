import { runSimulator } from '../web-server.ts';
import { readSampleCommunityConfig } from './config.ts';
import { startSampleCommunity } from './server.ts';

await runSimulator('Sample community page', () => {
  const config = readSampleCommunityConfig();
  return startSampleCommunity({
    host: config.HOST,
    port: config.PORT,
    apiUrl: config.API_URL,
    keys: { TEST: config.TEST_PLACEMENT_KEY, LIVE: config.LIVE_PLACEMENT_KEY },
  });
});
