/** Pricing as it is but for its engine, which is PostGIS at POSTGIS_URL. */
import { runService } from '@offer-ads/platform/process/process';
import { readPricingConfig } from '../../../services/pricing/src/config.ts';
import { startPricing } from '../../../services/pricing/src/service.ts';
import { openPostgisEngine } from './postgis-engine.ts';

await runService('pricing', () =>
  startPricing(readPricingConfig(), { audience: openPostgisEngine(process.env.POSTGIS_URL ?? '') }),
);
