/** Random clients and random faults on the real services, and an audit of all money when they are idle. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { runs } from '@offer-ads/testing/profile';
import { type Chance, chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Advertiser, advertiser } from '../advertiser.ts';
import { audit, deadLinks } from '../audit.ts';
import { causeFault } from '../cause-fault.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';
import { startWorld, topUp, type World } from '../world.ts';

const STEPS = runs(30, 40);
/** The longest time between two faults. It varies, so that faults meet work at every stage. */
const MAX_BETWEEN_FAULTS_MS = 120;

let world: World;
let advertisers: Advertiser[];
const toppedUpMinor = new Map<number, bigint>();

beforeAll(async () => {
  world = await startWorld();
  advertisers = [
    { organisationId: 1, country: 'GB', currency: 'GBP' },
    { organisationId: 2, country: 'DE', currency: 'EUR' },
    { organisationId: 3, country: 'GB', currency: 'GBP' },
  ].map((organisation) => advertiser(world, organisation));
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** The last organisation can pay for one or two offers at a time, so that it gets refusals too. */
async function topUpAll(seed: number): Promise<void> {
  for (const [index, { organisation }] of advertisers.entries()) {
    const { organisationId, currency } = organisation;
    const amountMinor = index === 2 ? 60_00n : 1_000_00n;
    const reference = `seed ${seed}, organisation ${organisationId}`;
    await topUp(world, { organisationId, currency, amountMinor, reference });
    toppedUpMinor.set(organisationId, (toppedUpMinor.get(organisationId) ?? 0n) + amountMinor);
  }
}

/** All clients at once until each has done its steps. Each has its own random numbers, so that a seed repeats a run. */
async function runClients(seed: number): Promise<void> {
  const over = new AbortController();
  const act = async (who: Advertiser, luck: Chance) => {
    for (let step = 0; step < STEPS; step += 1) await ignoringBreaks(who.act(luck));
  };
  const fault = async (luck: Chance) => {
    while (!over.signal.aborted) {
      const ids = advertisers.flatMap(({ keys }) =>
        keys.flatMap(({ successes }) =>
          [...successes].map((text) => (JSON.parse(text) as { offer_id: number }).offer_id),
        ),
      );
      await ignoringBreaks(causeFault(world, luck, ids));
      await pause(luck.below(MAX_BETWEEN_FAULTS_MS));
    }
  };
  const acts = advertisers.flatMap((who, index) => [
    act(who, chance(seed * 100 + index)),
    act(who, chance(seed * 100 + 50 + index)),
  ]);
  const faults = fault(chance(seed * 100 + 99));
  await Promise.all(acts).finally(() => over.abort());
  await faults;
}

/** Ignores broken connections, because the test itself breaks them. A wrong answer still fails. */
async function ignoringBreaks(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // The error belongs to another realm, where `instanceof` does not work.
    if ((error as Error).name !== 'TypeError') throw error;
    await Promise.all([world.offers.restarted(), world.billing.restarted()]);
  }
}

describe('whatever is repeated, lost, cut, restarted or late', () => {
  it.each(Array.from({ length: runs(2, 150) }, (_, index) => index + 1))(
    'every offer is paid for once or not at all and credited to the penny (seed %i)',
    async (seed) => {
      await topUpAll(seed);
      await runClients(seed);
      await waitUntilIdle(world);
      // Offers may still be handling the event of a payment, or wait to try again.
      await eventually(async () => {
        await world.broker.retryNow('offers');
        expect(await deadLinks(world)).toEqual([]);
      });
      // Past the end of every offer and every payment session.
      world.clock.advance(2 * DAY_MS);
      await eventually(
        async () => {
          await waitUntilIdle(world);
          expect(await audit(world, advertisers, toppedUpMinor)).toEqual([]);
        },
        { timeoutMs: 60_000 },
      );
    },
    300_000,
  );
});
