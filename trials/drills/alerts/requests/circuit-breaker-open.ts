import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Drill, elsewhere } from '../../drill.ts';
import { estimate } from '../../faults/traffic.ts';

/** A breaker needs five failures within ten seconds. So many callers have them even if each call takes all of its 2.25 s. */
const CALLERS = 5;

/** Pricing runs, and the gateway cannot reach it. */
export const circuitBreakerOpen: Drill = {
  alert: 'CircuitBreakerOpen',
  cause: async (system) => {
    let answer = 'nothing';
    system.links.gatewayToPricing.takeDown();
    for (let caller = 0; caller < CALLERS; caller += 1)
      system.repeat(500, async () => {
        const reply = await estimate(system);
        answer = `${reply.status} ${await reply.text()}`;
      });
    await eventually(async () => {
      const metrics = await (await fetch(`${system.addresses.gatewayAdmin}/metrics`)).text();
      if (!/^circuit_breaker_open\{[^}]*target="pricing"[^}]*\} 1$/m.test(metrics))
        throw new Error(`the breaker stays closed, and the last estimate was answered: ${answer}`);
    });
  },
  mend: [
    elsewhere('the gateway reaches pricing again', async ({ links }) => links.gatewayToPricing.bringBack()),
  ],
};
