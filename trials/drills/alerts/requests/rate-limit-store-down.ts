import { type Drill, elsewhere } from '../../drill.ts';

export const rateLimitStoreDown: Drill = {
  alert: 'RateLimitStoreDown',
  cause: async ({ links }) => links.valkey.takeDown(),
  mend: [elsewhere('Valkey can be reached again', async ({ links }) => links.valkey.bringBack())],
};
