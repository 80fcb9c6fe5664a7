import { type Drill, elsewhere } from '../../drill.ts';

export const rateLimitStoreDown: Drill = {
  alert: 'RateLimitStoreDown',
  cause: async ({ wires }) => wires.valkey.takeDown(),
  mend: [elsewhere('Valkey can be reached again', async ({ wires }) => wires.valkey.bringBack())],
};
