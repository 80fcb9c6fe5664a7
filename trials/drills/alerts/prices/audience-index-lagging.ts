import { type Drill, elsewhere, run } from '../../drill.ts';

/** Pricing still counts, but with old data of members. */
export const audienceIndexLagging: Drill = {
  alert: 'AudienceIndexLagging',
  // It is up to twenty seconds old in normal operation.
  faster: { ages: 3 },
  cause: async ({ links }) => links.pricingMongo.takeDown(),
  mend: [
    elsewhere('pricing reaches MongoDB again', async ({ links }) => links.pricingMongo.bringBack()),
    run('admin member check'),
  ],
};
