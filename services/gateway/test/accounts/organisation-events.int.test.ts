import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { cafe, type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';
import { keepIn } from '../portal/portal-under-test.ts';

let gateway: GatewayUnderTest;
const received: ReceivedEvent[] = [];
const open = new AsyncDisposableStack();

beforeAll(async () => {
  gateway = open.use(await startGatewayUnderTest());
  const broker = open.use(
    await connectBroker({
      url: gateway.config.RABBITMQ_URL,
      service: 'notifier',
      declarations: [OrganisationRegistered, OrganisationChanged],
      logger: silentLogger,
      metrics: createMetrics('notifier'),
      namespace: gateway.brokerNamespace,
    }),
  );
  const keep = keepIn(received);
  await broker.consume([on(OrganisationRegistered, keep), on(OrganisationChanged, keep)]);
});
afterAll(async () => open.disposeAsync());

describe('events of organisations', () => {
  it('carry all facts with every change, in versions that follow each other', async () => {
    const id = await gateway.register();
    await gateway.admin('POST', `/organisations/${id}/people`, { email: 'dev@cafe.test', role: 'developer' });
    await gateway.admin('POST', `/organisations/${id}/disable`);
    await eventually(() =>
      expect(received.filter((event) => event.subject === `organisation/${id}`)).toHaveLength(3),
    );
    const mine = received.filter((event) => event.subject === `organisation/${id}`);
    expect(mine.map((event) => event.subjectVersion)).toEqual([1, 2, 3]);
    expect(mine[0]?.data).toMatchObject({
      organisationId: id,
      name: cafe.name,
      enabled: true,
      people: [{ email: cafe.adminEmail, role: 'admin' }],
    });
    expect(mine[2]?.data).toMatchObject({
      enabled: false,
      people: [{ role: 'admin' }, { email: 'dev@cafe.test', role: 'developer' }],
    });
  });
});
