import { type Drill, elsewhere } from '../../drill.ts';

export const brokerDisconnected: Drill = {
  alert: 'BrokerDisconnected',
  cause: async ({ wires }) => wires.rabbitmq.takeDown(),
  mend: [elsewhere('RabbitMQ can be reached again', async ({ wires }) => wires.rabbitmq.bringBack())],
};
