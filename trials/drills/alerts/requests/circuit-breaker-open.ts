import { type Drill, elsewhere } from '../../drill.ts';
import { estimate } from '../../traffic.ts';

/** Pricing runs, and the gateway cannot reach it. */
export const circuitBreakerOpen: Drill = {
  alert: 'CircuitBreakerOpen',
  cause: async (system) => {
    system.wires.gatewayToPricing.takeDown();
    system.keepDoing(100, () => estimate(system));
  },
  mend: [
    elsewhere('the gateway reaches pricing again', async ({ wires }) => wires.gatewayToPricing.bringBack()),
  ],
};
