/** The gateway as a process of its own, as it runs in production, on the stores of a gateway under test. */
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import type { GatewayUnderTest } from './gateway-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export function startGatewayProcess({ env }: GatewayUnderTest): Promise<ServiceProcess> {
  const { LOG_LEVEL: _, SIGN_UP: __, ...settings } = env;
  // Nothing listens at that broker address, which stops no request.
  return startServiceProcess(main, { ...settings, HOST: '127.0.0.1', RABBITMQ_URL: 'amqp://127.0.0.1:9' });
}
