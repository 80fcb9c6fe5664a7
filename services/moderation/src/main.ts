import { runService } from '@offer-ads/platform/process/process';
import { readModerationConfig } from './config.ts';
import { startModeration } from './service.ts';

await runService('moderation', () => startModeration(readModerationConfig()));
