import { port, readConfig } from '@offer-ads/platform/config/config';
import { z } from 'zod';

export function readRatesSimulatorConfig(env: NodeJS.ProcessEnv = process.env) {
  return readConfig(z.object({ HOST: z.string().default('127.0.0.1'), PORT: port.default(8090) }), env);
}
