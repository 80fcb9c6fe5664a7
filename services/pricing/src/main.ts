import { runService } from '@offer-ads/platform/process/process';
import { readPricingConfig } from './config.ts';
import { startPricing } from './service.ts';

await runService('pricing', () => startPricing(readPricingConfig()));
