/** The gateway as a process of its own, as it runs in production, on the stores of a gateway under test. */
import { fileURLToPath } from 'node:url';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { contextSecrets, type GatewayUnderTest } from './gateway-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export function startGatewayProcess(gateway: GatewayUnderTest): Promise<ServiceProcess> {
  return startServiceProcess(main, {
    PORT: '0',
    HOST: '127.0.0.1',
    GATEWAY_DATABASE_URL: gateway.databaseUrl,
    // Nothing listens there, which stops no request.
    RABBITMQ_URL: 'amqp://127.0.0.1:9',
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    OFFERS_URL: gateway.offers.url,
    PRICING_URL: gateway.pricing.url,
    BILLING_URL: gateway.billing.url,
    NOTIFIER_URL: gateway.notifier.url,
    OFFERS_CONTEXT_SECRET: contextSecrets.offers,
    PRICING_CONTEXT_SECRET: contextSecrets.pricing,
    BILLING_CONTEXT_SECRET: contextSecrets.billing,
    NOTIFIER_CONTEXT_SECRET: contextSecrets.notifier,
    PUBLIC_URL: 'https://ads.example.test',
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
}
