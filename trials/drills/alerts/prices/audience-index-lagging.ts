import { type Drill, elsewhere, run } from '../../drill.ts';

/** Pricing goes on counting, with the members as it last heard of them. */
export const audienceIndexLagging: Drill = {
  alert: 'AudienceIndexLagging',
  // It is up to twenty seconds old while all is well.
  faster: { ages: 3 },
  cause: async ({ wires }) => wires.pricingMongo.takeDown(),
  mend: [
    elsewhere('pricing reaches MongoDB again', async ({ wires }) => wires.pricingMongo.bringBack()),
    run('admin member check'),
  ],
};
