import { runService } from '@offer-ads/platform/process/process';
import { readBillingConfig } from './config.ts';
import { startBilling } from './service.ts';

await runService('billing', () => startBilling(readBillingConfig()));
