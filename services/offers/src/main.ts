import { runService } from '@offer-ads/platform/process/process';
import { readOffersConfig } from './config.ts';
import { startOffers } from './service.ts';

await runService('offers', () => startOffers(readOffersConfig()));
