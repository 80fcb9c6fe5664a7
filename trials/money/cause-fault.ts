/** A random fault, of all that may happen to a running system at any moment. */

import type { Faults } from '@offer-ads/simulators/stripe/faults';
import type { Chance } from '@offer-ads/testing/random';
import type { World } from './world.ts';

/** A lease, and the minute that the sweeper then leaves to the client. */
const ABANDONED_MS = 95_000;

export async function causeFault(world: World, chance: Chance, offerIds: readonly number[]): Promise<void> {
  const fault = chance.weighted({
    cutBilling: 3,
    cutStripe: 2,
    cutDatabase: 2,
    cutBroker: 2,
    kill: 1,
    stop: 1,
    tick: 9,
    jump: 2,
    overtake: 4,
    sweep: 8,
    disable: 3,
    stripe: 5,
    slow: 3,
  });
  const service = world[chance.oneOf(['offers', 'billing'] as const)];
  switch (fault) {
    case 'cutBilling':
      return world.proxies.billing.cut();
    case 'cutStripe':
      return world.proxies.stripe.cut();
    case 'cutDatabase':
      return service.proxies().database.cut();
    case 'cutBroker':
      return service.proxies().broker.cut();
    case 'kill':
      return service.restart('killed');
    case 'stop':
      return service.restart('stopped');
    case 'tick':
      return world.clock.advance(chance.oneOf([1, 499, 1_001, 9_999, 31_000]));
    case 'jump':
      return world.clock.advance(chance.oneOf([-2_000, ABANDONED_MS, 6 * 60_000]));
    case 'overtake':
      // The work of every running request counts as abandoned.
      world.clock.advance(ABANDONED_MS);
      return runRounds(world);
    case 'sweep':
      return runRounds(world);
    case 'disable': {
      if (offerIds.length === 0) return;
      const path = `/admin/offers/${chance.oneOf(offerIds.slice(-6))}/${chance.oneOf(['disable', 'enable'])}`;
      await world.admin('offers', 'POST', path, { reason: 'its terms' });
      return;
    }
    case 'stripe':
      return world.setStripeFaults(chance.oneOf(stripeFaults));
    case 'slow':
      world.moderation.takesMs = chance.oneOf([0, 20, 150, 400]);
  }
}

const stripeFaults: readonly Faults[] = [
  {},
  {},
  {},
  { duplicate: 3, shuffle: true },
  { delayMs: 300 },
  { failExpire: 'down' },
  { failExpire: 'complete' },
  { failCreate: 'down' },
  { failCreate: 'too_small' },
];

/** Runs a round of each background loop. A round may fail; the next one repeats its work. */
export async function runRounds(world: World): Promise<void> {
  const { sweeper } = world.offers.running();
  await Promise.allSettled([sweeper.recover(), sweeper.announce(), world.billing.running().reconcile()]);
}
