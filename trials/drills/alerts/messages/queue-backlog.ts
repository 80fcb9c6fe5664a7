import { type Drill, elsewhere } from '../../drill.ts';
import { changeMembers } from '../../faults/members.ts';

/** Changes of members cannot be stored, so they wait, and all later messages with them. */
export const queueBacklog: Drill = {
  alert: 'QueueBacklog',
  cause: async (system) => {
    system.links.pricingMongo.takeDown();
    await changeMembers(system, 2_000);
  },
  mend: [elsewhere('pricing reaches MongoDB again', async ({ links }) => links.pricingMongo.bringBack())],
};
