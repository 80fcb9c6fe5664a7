import { collectGarbage } from '@offer-ads/platform/process/garbage';
import { runService } from '@offer-ads/platform/process/process';
import { readPricingConfig } from './config.ts';
import { startPricing } from './service.ts';

await runService('pricing', () =>
  startPricing(readPricingConfig(), {
    // Building it from MongoDB leaves up to 200 MB behind, usually after the start.
    onAudienceComplete: () => collectGarbage({ type: 'major' }),
  }),
);
