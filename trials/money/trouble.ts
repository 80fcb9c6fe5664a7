/** Everything that may happen to a running system at any moment, at random. */

import type { Faults } from '@offer-ads/simulators/stripe/faults';
import type { Chance } from '@offer-ads/testing/random';
import type { World } from './world.ts';

/** A lease, and then the minute that the sweeper leaves the client. */
const ABANDONED_MS = 95_000;

export async function makeTrouble(world: World, chance: Chance, offerIds: readonly number[]): Promise<void> {
  const what = chance.weighted({
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
  switch (what) {
    case 'cutBilling':
      return world.wires.billing.cut();
    case 'cutStripe':
      return world.wires.stripe.cut();
    case 'cutDatabase':
      return service.wires().database.cut();
    case 'cutBroker':
      return service.wires().broker.cut();
    case 'kill':
      return service.restart('killed');
    case 'stop':
      return service.restart('stopped');
    case 'tick':
      return world.clock.advance(chance.oneOf([1, 499, 1_001, 9_999, 31_000]));
    case 'jump':
      return world.clock.advance(chance.oneOf([-2_000, ABANDONED_MS, 6 * 60_000]));
    case 'overtake':
      // Whoever is at work now is taken for dead.
      world.clock.advance(ABANDONED_MS);
      return sweep(world);
    case 'sweep':
      return sweep(world);
    case 'disable': {
      if (offerIds.length === 0) return;
      const path = `/admin/offers/${chance.oneOf(offerIds.slice(-6))}/${chance.oneOf(['disable', 'enable'])}`;
      await world.admin('offers', 'POST', path);
      return;
    }
    case 'stripe':
      return world.setStripeFaults(chance.oneOf(stripeTroubles));
    case 'slow':
      world.moderation.takesMs = chance.oneOf([0, 20, 150, 400]);
  }
}

const stripeTroubles: readonly Faults[] = [
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

/** A round of everything that otherwise comes by itself; it may fail, and then comes again. */
export async function sweep(world: World): Promise<void> {
  const { sweeper } = world.offers.running();
  await Promise.allSettled([sweeper.recover(), sweeper.announce(), world.billing.running().reconcile()]);
}
