import { runService } from '@offer-ads/platform/process/process';
import { readGatewayConfig } from './config.ts';
import { startGateway } from './service.ts';

await runService('gateway', () => startGateway(readGatewayConfig()));
