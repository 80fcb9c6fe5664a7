import { type Drill, elsewhere } from '../../drill.ts';
import { estimate } from '../../faults/traffic.ts';

/** Pricing runs, and the gateway cannot reach it. */
export const circuitBreakerOpen: Drill = {
  alert: 'CircuitBreakerOpen',
  cause: async (system) => {
    system.links.gatewayToPricing.takeDown();
    system.repeat(100, () => estimate(system));
  },
  mend: [
    elsewhere('the gateway reaches pricing again', async ({ links }) => links.gatewayToPricing.bringBack()),
  ],
};
