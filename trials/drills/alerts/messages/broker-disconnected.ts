import { type Drill, elsewhere } from '../../drill.ts';

export const brokerDisconnected: Drill = {
  alert: 'BrokerDisconnected',
  cause: async ({ links }) => links.rabbitmq.takeDown(),
  mend: [elsewhere('RabbitMQ can be reached again', async ({ links }) => links.rabbitmq.bringBack())],
};
