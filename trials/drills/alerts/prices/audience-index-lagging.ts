import { type Drill, elsewhere, run } from '../../drill.ts';

/** Pricing goes on counting, with the members as it last heard of them. */
export const audienceIndexLagging: Drill = {
  alert: 'AudienceIndexLagging',
  // It is up to twenty seconds old while all is well.
  faster: { ages: 3 },
  cause: async ({ links }) => links.pricingMongo.takeDown(),
  mend: [
    elsewhere('pricing reaches MongoDB again', async ({ links }) => links.pricingMongo.bringBack()),
    run('admin member check'),
  ],
};
