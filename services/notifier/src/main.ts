import { runService } from '@offer-ads/platform/process/process';
import { readNotifierConfig } from './config.ts';
import { startNotifier } from './service.ts';

await runService('notifier', () => startNotifier(readNotifierConfig()));
