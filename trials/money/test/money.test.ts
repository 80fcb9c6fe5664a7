/** Money under every kind of trouble: random stories on the real services, and an audit when all is quiet. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { type Chance, chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Advertiser, advertiser } from '../advertiser.ts';
import { audit, deadLinks } from '../audit.ts';
import { becomeQuiet } from '../quiet.ts';
import { makeTrouble } from '../trouble.ts';
import { startWorld, topUp, type World } from '../world.ts';

const DAY_MS = 24 * 3_600_000;
const STEPS = 40;
/** Between two troubles: not to wait for anything, but so that they meet work at every stage. */
const MOST_BETWEEN_TROUBLES_MS = 120;

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

/** The last one can afford an offer or two at a time, so that it learns of refusals too. */
async function topUpAll(seed: number): Promise<void> {
  for (const [index, { organisation }] of advertisers.entries()) {
    const { organisationId, currency } = organisation;
    const amountMinor = index === 2 ? 60_00n : 1_000_00n;
    const reference = `seed ${seed}, organisation ${organisationId}`;
    await topUp(world, { organisationId, currency, amountMinor, reference });
    toppedUpMinor.set(organisationId, (toppedUpMinor.get(organisationId) ?? 0n) + amountMinor);
  }
}

/** Everybody at once until all have done their steps; each has a chance of its own, so that a seed tells the same story. */
async function tellStory(seed: number): Promise<void> {
  const over = new AbortController();
  const act = async (who: Advertiser, luck: Chance) => {
    for (let step = 0; step < STEPS; step += 1) await orInterrupted(who.act(luck));
  };
  const trouble = async (luck: Chance) => {
    while (!over.signal.aborted) {
      const ids = advertisers.flatMap(({ keys }) =>
        keys.flatMap(({ successes }) =>
          [...successes].map((text) => (JSON.parse(text) as { offer_id: number }).offer_id),
        ),
      );
      await orInterrupted(makeTrouble(world, luck, ids));
      await pause(luck.below(MOST_BETWEEN_TROUBLES_MS));
    }
  };
  const acts = advertisers.flatMap((who, index) => [
    act(who, chance(seed * 100 + index)),
    act(who, chance(seed * 100 + 50 + index)),
  ]);
  const troubles = trouble(chance(seed * 100 + 99));
  await Promise.all(acts).finally(() => over.abort());
  await troubles;
}

/** Connections break where the test itself has broken them; what was told wrong still fails. */
async function orInterrupted(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // Of another realm than the test's, so that `instanceof` does not know it.
    if ((error as Error).name !== 'TypeError') throw error;
    await Promise.all([world.offers.restarted(), world.billing.restarted()]);
  }
}

describe('whatever is repeated, lost, cut, restarted or late', () => {
  it.each(Array.from({ length: runs(2, 150) }, (_, index) => index + 1))(
    'every offer is paid for once or not at all and credited to the penny (seed %i)',
    async (seed) => {
      await topUpAll(seed);
      await tellStory(seed);
      await becomeQuiet(world);
      // What offers was told of a payment may just be being written down, or wait to be tried again.
      await eventually(async () => {
        await world.broker.retryNow('offers');
        expect(await deadLinks(world)).toEqual([]);
      });
      // Past the end of every offer and every payment session.
      world.clock.advance(2 * DAY_MS);
      await eventually(
        async () => {
          await becomeQuiet(world);
          expect(await audit(world, advertisers, toppedUpMinor)).toEqual([]);
        },
        { timeoutMs: 60_000 },
      );
    },
    300_000,
  );
});
