/**
 * Somebody pays while somebody else deletes: real offers, real billing, and the card provider's own record of what was paid.
 * Never both deleted and kept money.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runs, testProfile } from '@offer-ads/testing/profile';
import { chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { audit } from '../audit.ts';
import { type OfferFacts, readCardPayments, readOffers, readSales } from '../facts.ts';
import { createOffer, deleteOffer, paymentSession } from '../one-offer.ts';
import { becomeQuiet } from '../quiet.ts';
import { startWorld, type World } from '../world.ts';

const ROUNDS = runs(50, 1_000);
/** Rounds at once: enough to make them meet work of others, few enough to keep them races. */
const LANES = 4;
/** The broker removes a test's queues that nobody has used for minutes; becoming quiet uses all of them. */
const ROUNDS_UNTIL_QUIET = 50;
/** A deletion takes about as long as one of these, so that the payment comes at every stage of it; nothing waits for it. */
const MOST_APART_MS = [10, 40, 160];
const HOUR_MS = 3_600_000;
/** Becoming quiet moves the clock, on a busy machine by many hours. */
const AHEAD_MS = 20 * 24 * HOUR_MS;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const orders = [
  'paid, then deleted',
  'paid and known to be, then deleted',
  'deleted, then paid',
  'deleted while it is being paid',
  'paid while it is being deleted',
] as const;
type Round = {
  readonly organisationId: number;
  readonly offerId: number;
  readonly order: (typeof orders)[number];
  /** What the payer was told, and what the one who deletes. */
  readonly isPaid: boolean;
  readonly deletion: string;
};

/** Each round has an organisation of its own, whose balance shows what came back. */
async function race(index: number): Promise<Round> {
  const organisationId = 1_000 + index;
  const startMs = world.clock.now().getTime() + AHEAD_MS;
  const wish = { organisationId, paymentMethod: 'E', radius: 7, startMs, durationMs: HOUR_MS + 1 } as const;
  const created = await createOffer(world, wish);
  const offerId = created.offer_id;
  const session = await paymentSession(world, created);
  const pay = () => world.pay(session);
  const remove = () => deleteOffer(world, organisationId, offerId);
  const order = orders[index % orders.length] as Round['order'];
  const luck = chance(index);
  const afterMs = luck.below(luck.oneOf(MOST_APART_MS));
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
    case 'paid and known to be, then deleted': {
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
  `paying while a delete runs, ${ROUNDS} times in every order: never both deleted and kept money`,
  async () => {
    const rounds: Round[] = [];
    for (let first = 0; first < ROUNDS; first += ROUNDS_UNTIL_QUIET) {
      const count = Math.min(ROUNDS_UNTIL_QUIET, ROUNDS - first);
      const indices = Array.from({ length: count }, (_, place) => first + place).values();
      const lane = async () => {
        for (const index of indices) rounds.push(await race(index));
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      await becomeQuiet(world);
    }
    // A webhook may still be on its way, and then the payment is asked about.
    const fates = await eventually(
      async () => {
        await becomeQuiet(world);
        const found = await readFates(rounds);
        for (const fate of found) expectOneFate(fate);
        return found;
      },
      { timeoutMs: 60_000 },
    );
    if (testProfile === 'long') process.stdout.write(figures(fates));

    // Past the end of all of them.
    world.clock.advance(AHEAD_MS + 2 * 24 * HOUR_MS);
    await eventually(
      async () => {
        await becomeQuiet(world);
        expect(await audit(world, [], new Map())).toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
  },
  runs(300_000, 1_200_000),
);

async function readFates(rounds: readonly Round[]) {
  const offers = new Map((await readOffers(world)).map((offer) => [offer.offer_id, offer]));
  const sales = await readSales(world);
  const cards = readCardPayments(world);
  const fateOf = (round: Round) => {
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
  };
  return rounds.map(fateOf);
}
type Fate = Awaited<ReturnType<typeof readFates>>[number];

function expectOneFate(fate: Fate): void {
  // The answers were the truth.
  expect(['200 S1', 'gone', '409 E6', '503 E7']).toContain(fate.deletion);
  expect(fate).toMatchObject({
    deleted: fate.deletion === '200 S1' || fate.deletion === 'gone',
    paid: fate.isPaid ? 1 : 0,
  });
  // It starts in weeks: what is deleted owes nothing, what is paid and stays owes all.
  const keptMinor = fate.isPaid && !fate.deleted ? fate.netMinor : 0n;
  expect(fate).toMatchObject({ keptMinor, applied: fate.isPaid });
  if (fate.order.startsWith('paid,') || fate.order.startsWith('paid and')) expect(fate.isPaid).toBe(true);
  if (fate.order.startsWith('paid and')) expect(fate.deleted).toBe(true);
  // Only who was told that it is not certain may find it neither paid nor gone.
  if (!fate.isPaid && !fate.deleted) expect(fate.deletion).toBe('503 E7');
  else expect(fate.state).toBe(fate.isPaid ? 'paid' : 'closed');
}

function figures(fates: readonly Fate[]): string {
  const lines = orders.map((order) => {
    const of = fates.filter((fate) => fate.order === order);
    const count = (is: (fate: Fate) => boolean) => of.filter(is).length;
    return (
      `${order}: ${of.length} offers, ${count((fate) => fate.isPaid && !fate.deleted)} paid and kept, ` +
      `${count((fate) => fate.isPaid && fate.deleted)} paid, deleted and credited in full, ` +
      `${count((fate) => !fate.isPaid && fate.deleted)} deleted unpaid, ` +
      `${count((fate) => !fate.isPaid && !fate.deleted)} neither (E7)\n`
    );
  });
  return lines.join('');
}
