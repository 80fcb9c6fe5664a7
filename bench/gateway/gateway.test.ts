import { expect, test } from '@jest/globals';
import { readGatewayConfig } from '../../services/gateway/src/config.ts';
import { gatewaySettings } from './gateway.ts';

test('the gateway starts with the settings that the benches give it', () => {
  const settings = gatewaySettings({
    databaseUrl: 'postgres://localhost/gateway',
    rabbitmqUrl: 'amqp://localhost',
    upstreamPort: 9,
  });
  expect(() => readGatewayConfig(settings)).not.toThrow();
});
