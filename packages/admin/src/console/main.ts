import { runService } from '@offer-ads/platform/process/process';
import { readConsoleConfig } from './config.ts';
import { startConsole } from './service.ts';

await runService('console', () => startConsole(readConsoleConfig()));
