/** Races for money on the real offers and billing, compared with the card provider's own record of what was paid. */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs, testProfile } from '@offer-ads/testing/profile';
import { chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { audit } from '../audit.ts';
import { type OfferFacts, readCardPayments, readOffers, readSales } from '../facts.ts';
import { createOffer, deleteOffer, paymentSession } from '../one-offer.ts';
import { priceMinor } from '../stand-ins.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';
import { startWorld, topUp } from '../world.ts';

const RADIUS = 7;
const HOUR_MS = 3_600_000;
const DURATION_MS = HOUR_MS + 1;

const world = forAllTests(() => startWorld());

const create = (organisationId: number, paymentMethod: 'B' | 'E', startsInMs: number) => {
  const startMs = world.clock.now().getTime() + startsInMs;
  const schedule = { startMs, durationMs: DURATION_MS };
  return createOffer(world, { organisationId, paymentMethod, radius: RADIUS, ...schedule });
};

it('64 keys racing for a balance that affords 10 offers give exactly 10, and spend it to the penny', async () => {
  const [organisationId, affordable, keys] = [71, 10, 64];
  const price = priceMinor(DURATION_MS, RADIUS);
  // A penny less than an eleventh offer.
  const amountMinor = price * BigInt(affordable + 1) - 1n;
  await topUp(world, { organisationId, currency: 'GBP', amountMinor, reference: randomUUID() });
  const created = await Promise.all(Array.from({ length: keys }, () => create(organisationId, 'B', HOUR_MS)));
  const count = (code: string) => created.filter((answer) => answer.return_code === code).length;
  expect([count('S1'), count('E3')]).toEqual([affordable, keys - affordable]);

  const rows = await world.stores.offers.query<{ offer_id: number; shown: boolean }>(
    'SELECT offer_id, shown_at IS NOT NULL AS shown FROM offers WHERE organisation_id = $1',
    [organisationId],
  );
  expect(rows.map((row) => row.shown)).toEqual(Array(affordable).fill(true));
  const sold = [...(await readSales(world))].filter(([, sale]) => sale.sold_minor > 0n);
  expect(new Set(sold.map(([id]) => id))).toEqual(new Set(rows.map((row) => row.offer_id)));
  expect(sold.map(([, sale]) => sale.sold_minor)).toEqual(Array(affordable).fill(price));
  const query = `organisationId=${organisationId}&mode=TEST&currency=GBP`;
  const balance = await (await world.admin('billing', 'GET', `/admin/balances?${query}`)).json();
  expect(balance).toMatchObject({ balanceMinor: `${price - 1n}` });
});

const ROUNDS = runs(50, 1_000);
/** Rounds at the same time: enough to meet the work of others, few enough to stay races. */
const LANES = 4;
/** The broker removes a test's queues after minutes without use; waiting until idle uses all of them. */
const ROUNDS_UNTIL_IDLE = 50;
/** A deletion takes about as long as one of these, so the payment comes at every stage of it. */
const MAX_APART_MS = [10, 40, 160];
/** Waiting until idle moves the clock by hours; no offer starts meanwhile. */
const STARTS_IN_MS = 20 * 24 * HOUR_MS;

const orders = [
  'paid, then deleted',
  'paid and applied, then deleted',
  'deleted, then paid',
  'deleted while it is being paid',
  'paid while it is being deleted',
] as const;
type Round = {
  readonly organisationId: number;
  readonly offerId: number;
  readonly order: (typeof orders)[number];
  /** The answers to the payer and to the deletion. */
  readonly isPaid: boolean;
  readonly deletion: string;
};

/** Each round has an organisation of its own. */
async function race(index: number): Promise<Round> {
  const organisationId = 1_000 + index;
  const created = await create(organisationId, 'E', STARTS_IN_MS);
  const offerId = created.offer_id;
  const session = await paymentSession(world, created);
  const pay = () => world.pay(session);
  const remove = () => deleteOffer(world, organisationId, offerId);
  const order = orders[index % orders.length] as Round['order'];
  const luck = chance(index);
  const afterMs = luck.below(luck.oneOf(MAX_APART_MS));
  const later = async <T>(work: () => Promise<T>) => {
    await pause(afterMs);
    return work();
  };
  const facts = { organisationId, offerId, order };
  switch (order) {
    case 'paid, then deleted': {
      const isPaid = await pay();
      return { ...facts, isPaid, deletion: await remove() };
    }
    case 'paid and applied, then deleted': {
      const isPaid = await pay();
      await eventually(async () => expect(await isApplied(offerId)).toBe(true), { timeoutMs: 60_000 });
      return { ...facts, isPaid, deletion: await remove() };
    }
    case 'deleted, then paid': {
      const deletion = await remove();
      return { ...facts, deletion, isPaid: await pay() };
    }
    case 'deleted while it is being paid': {
      const [isPaid, deletion] = await Promise.all([pay(), later(remove)]);
      return { ...facts, isPaid, deletion };
    }
    case 'paid while it is being deleted': {
      const [deletion, isPaid] = await Promise.all([remove(), later(pay)]);
      return { ...facts, isPaid, deletion };
    }
  }
}

async function isApplied(offerId: number): Promise<boolean> {
  const sql = 'SELECT FROM offers WHERE offer_id = $1 AND payment_applied_at IS NOT NULL';
  return (await world.stores.offers.query(sql, [offerId])).length === 1;
}

it(
  `paying while a delete runs, ${ROUNDS} times in every order: no offer is deleted and its money kept`,
  async () => {
    const rounds: Round[] = [];
    for (let first = 0; first < ROUNDS; first += ROUNDS_UNTIL_IDLE) {
      const count = Math.min(ROUNDS_UNTIL_IDLE, ROUNDS - first);
      const indices = Array.from({ length: count }, (_, place) => first + place).values();
      const lane = async () => {
        for (const index of indices) rounds.push(await race(index));
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      await waitUntilIdle(world);
    }
    // A webhook may still be on its way; then billing asks about the payment.
    const outcomes = await eventually(
      async () => {
        await waitUntilIdle(world);
        const found = await readOutcomes(rounds);
        for (const outcome of found) expectConsistent(outcome);
        return found;
      },
      { timeoutMs: 60_000 },
    );
    if (testProfile === 'long') process.stdout.write(figures(outcomes));

    // Past the end of all offers.
    world.clock.advance(STARTS_IN_MS + 2 * 24 * HOUR_MS);
    await eventually(
      async () => {
        await waitUntilIdle(world);
        expect(await audit(world, [], new Map())).toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
  },
  runs(300_000, 1_200_000),
);

async function readOutcomes(rounds: readonly Round[]) {
  const offers = new Map((await readOffers(world)).map((offer) => [offer.offer_id, offer]));
  const sales = await readSales(world);
  const cards = readCardPayments(world);
  return rounds.map((round) => {
    const { deleted_at, payment_applied_at, net_minor } = offers.get(round.offerId) as OfferFacts;
    const sale = sales.get(round.offerId);
    return {
      ...round,
      deleted: deleted_at !== null,
      applied: payment_applied_at !== null,
      netMinor: net_minor,
      paid: cards.get(round.offerId) ?? 0,
      keptMinor: (sale?.sold_minor ?? 0n) - (sale?.credited_minor ?? 0n),
      state: sale?.state,
    };
  });
}
type Outcome = Awaited<ReturnType<typeof readOutcomes>>[number];

function expectConsistent(outcome: Outcome): void {
  const { isPaid, deleted, deletion, order } = outcome;
  // The answers were true.
  expect(['200 S1', 'gone', '409 E6', '503 E7']).toContain(deletion);
  expect(deleted).toBe(deletion === '200 S1' || deletion === 'gone');
  // No offer has started: a deleted one keeps no money, a paid one that stays keeps all.
  const keptMinor = isPaid && !deleted ? outcome.netMinor : 0n;
  expect(outcome).toMatchObject({ paid: isPaid ? 1 : 0, keptMinor, applied: isPaid });
  if (order === 'paid, then deleted' || order === 'paid and applied, then deleted') expect(isPaid).toBe(true);
  if (order === 'paid and applied, then deleted') expect(deleted).toBe(true);
  // Neither paid nor deleted only after the answer that this is not certain.
  if (!isPaid && !deleted) expect(deletion).toBe('503 E7');
  else expect(outcome.state).toBe(isPaid ? 'paid' : 'closed');
}

function figures(outcomes: readonly Outcome[]): string {
  const lines = orders.map((order) => {
    const of = outcomes.filter((outcome) => outcome.order === order);
    const count = (isPaid: boolean, deleted: boolean) =>
      of.filter((outcome) => outcome.isPaid === isPaid && outcome.deleted === deleted).length;
    return (
      `${order}: ${of.length} offers, ${count(true, false)} paid and kept, ` +
      `${count(true, true)} paid, deleted and credited in full, ` +
      `${count(false, true)} deleted unpaid, ${count(false, false)} neither (E7)\n`
    );
  });
  return lines.join('');
}
