/** Charges, payments, closings, credits, top-ups and reversals in any order and at once: every penny is explained. */
import { expect, it } from '@jest/globals';
import { BalanceToppedUp, OfferPaid } from '@offer-ads/contracts/events/billing';
import { fc, runs } from '@offer-ads/testing/profile';
import type { AccountKind, Book } from '../../src/domain/ledger/ledger.ts';
import { useBilling } from '../billing-under-test.ts';
import {
  beginRun,
  type KnownOffer,
  OFFERS,
  PARTS_OF_TIME,
  type Plan,
  type Run,
  type Step,
} from '../money-run.ts';

/** How long the property may take in `npm test`. A slow machine tries fewer runs. */
const ABOUT_MS = 10_000;

// The run delivers every webhook itself.
const test = useBilling({ webhooksLost: true });

const offer = fc.nat(OFFERS - 1);
const byCard = fc.integer({ min: 2, max: OFFERS - 1 });
const book = fc.nat(1);
const deletion = fc.integer({ min: 1, max: 3 });
const usually = fc.constantFrom(true, true, false);
const is = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: is('charge or open'), offer }) },
  { weight: 8, arbitrary: fc.record({ kind: is('pay'), offer: byCard }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: is('webhooks'), pick: fc.nat(30), copies: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: is('unused'),
      offer,
      report: is('deleted', 'ended', 'applied'),
      parts: fc.nat(PARTS_OF_TIME + 1),
      eventId: fc.nat(2),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: is('platform tops up'), book, reference: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: is('card top-up', 'pay top-up'), book }) },
  { weight: 3, arbitrary: fc.record({ kind: is('close'), offer: byCard, deletion }) },
  { weight: 3, arbitrary: fc.record({ kind: is('resolve'), offer }) },
  { weight: 1, arbitrary: fc.record({ kind: is('keep'), offer: byCard, deletion }) },
  { weight: 1, arbitrary: fc.record({ kind: is('visit', 'ends unpaid'), offer: byCard }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: is('refund', 'dispute'), offer: byCard, comesBack: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: is('bear'), pick: fc.nat(5), borneBy: is('platform', 'balance') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('all webhooks') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('reconcile'), hours: fc.constantFrom(0.2, 25, 100) }) },
);

const wave = fc.array(step, { minLength: 1, maxLength: 8, size: 'max' });
/** All steps at one offer, because only they can disturb each other. */
const focused = fc
  .tuple(offer, wave)
  .map(([one, steps]) => steps.map((step) => ('offer' in step ? { ...step, offer: one } : step)));

/** From the provider's minimum on, and about as much as a top-up, so that the balance is sometimes too low. */
const plan: fc.Arbitrary<Plan> = fc.record({
  prices: fc.array(fc.integer({ min: 50, max: 999 }), { minLength: OFFERS, maxLength: OFFERS }),
  begunOffers: fc.array(usually, { minLength: OFFERS, maxLength: OFFERS }),
  begunTopUps: fc.nat(2),
  takenBack: fc.uniqueArray(byCard, { maxLength: 2 }),
  waves: fc.array(fc.oneof(wave, focused), { minLength: 1, maxLength: 6, size: 'max' }),
});

it(
  'any interleaving of charges, payments, credits, top-ups and reversals keeps every penny explained',
  async () => {
    const until = performance.now() + runs(ABOUT_MS, Number.POSITIVE_INFINITY);
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        // Checked here, because fast-check fails when its own time limit ends before the first run, as on a very busy machine.
        if (tried > 0 && performance.now() > until) return;
        tried += 1;
        const run = beginRun(test, planned);
        await run.take();
        const rows = await rowsOf(run);
        for (const book of run.books) {
          expect(await test.accounts(book)).toEqual(modelOf(run, rows, book));
          await expectEventsOnce(run, rows, book);
        }
        for (const known of run.offers) expectOneOutcome(rows.get(known.offerId), known);
        await expectOneInvoiceEach(run);
        // Sums, running balances and their order, and the invoices' numbers and amounts.
        expect(await test.ledgerProblems()).toEqual([]);
      }),
      { numRuns: runs(30, 1_000) },
    );
  },
  runs(120_000, 3_600_000),
);

type Row = { readonly state: string; readonly paid_at: Date | null; readonly credited_minor: bigint };
type Rows = ReadonlyMap<number, Row>;

async function rowsOf(run: Run): Promise<Rows> {
  const rows = await test.billing.postgres.query<Row & { offer_id: bigint }>(
    `SELECT o.offer_id, coalesce(g.state, o.state) AS state, coalesce(g.paid_at, o.paid_at) AS paid_at, o.credited_minor
       FROM payments o LEFT JOIN payments g ON g.group_id = o.of_group WHERE o.offer_id = ANY ($1)`,
    [run.offers.map(({ offerId }) => offerId)],
  );
  return new Map(rows.map((row) => [Number(row.offer_id), row]));
}

const ofBook = <T extends { readonly book: Book }>(all: Iterable<T>, book: Book) =>
  [...all].filter((one) => one.book === book);
const isPaid = ({ answers, paidSession }: KnownOffer) => answers.has('charged') || paidSession !== null;
const paidByCard = <T extends { readonly paidSession: string | null }>(all: readonly T[]) =>
  all.filter(({ paidSession }) => paidSession !== null);

/** A group that was paid after it was closed: its payment is a top-up. */
const isTopUp = (rows: Rows, { offerId, group }: KnownOffer) =>
  group !== null && rows.get(offerId)?.state === 'closed';

const bearers = { platform: 'card-losses', balance: 'prepaid-balance' } as const;

/** The sums of the accounts that follow from what payers, offers and the platform team know, without those that are 0. */
function modelOf(run: Run, rows: Rows, book: Book): Record<string, bigint> {
  const model = new Map<AccountKind, bigint>();
  const move = (from: AccountKind, to: AccountKind, by: bigint) => {
    model.set(from, (model.get(from) ?? 0n) - by);
    model.set(to, (model.get(to) ?? 0n) + by);
  };
  for (const known of ofBook(run.offers, book)) {
    move('unused-time-credits', 'prepaid-balance', creditWithinBounds(run, rows.get(known.offerId), known));
    if (!isPaid(known)) continue;
    const sold = isTopUp(rows, known) ? 'prepaid-balance' : 'sales';
    move(known.method === 'B' ? 'prepaid-balance' : 'card-clearing', sold, known.netMinor);
    move('card-clearing', 'vat-payable', known.vatMinor);
  }
  for (const { netMinor, vatMinor } of paidByCard(ofBook(run.topUps, book))) {
    move('card-clearing', 'prepaid-balance', netMinor);
    move('card-clearing', 'vat-payable', vatMinor);
  }
  for (const { minor } of ofBook(run.platformTopUps.values(), book))
    move('top-up-source', 'prepaid-balance', minor);
  for (const { minor, borneBy, returned } of ofBook(run.reversals.values(), book))
    if (!returned) move(borneBy === null ? 'card-reversals' : bearers[borneBy], 'card-clearing', minor);
  return Object.fromEntries([...model].filter(([, minor]) => minor !== 0n));
}

/**
 * At least what Unused Time is worth without the money that the provider has taken back. More only if it was credited before that; then it
 * is owed.
 */
function creditWithinBounds(run: Run, row: Row | undefined, known: KnownOffer): bigint {
  const credited = row?.credited_minor ?? 0n;
  const earned = earnedCredit(row, known);
  const takenBack = [...run.reversals.values()]
    .filter((one) => one.offerId === known.offerId && !one.returned && one.borneBy !== 'balance')
    .reduce((sum, { minor }) => sum + minor, 0n);
  const gross = known.netMinor + known.vatMinor;
  if (known.group !== null) expect(credited).toBe(earned);
  const kept = takenBack > gross ? 0n : (known.netMinor * (gross - takenBack)) / gross;
  expect(credited).toBeGreaterThanOrEqual(earned < kept ? earned : kept);
  expect(credited).toBeLessThanOrEqual(earned);
  return credited;
}

/** Of the largest report, rounded half up; the whole price if the payment reached a closed page. */
function earnedCredit(row: Row | undefined, known: KnownOffer): bigint {
  if (!isPaid(known)) return 0n;
  if (row?.state === 'closed') return known.group === null ? known.netMinor : 0n;
  const parts = BigInt(Math.min(known.unusedParts ?? 0, PARTS_OF_TIME));
  const all = BigInt(PARTS_OF_TIME);
  return (2n * known.offerMinor * parts + all) / (2n * all);
}

/** An offer is paid, or closed, or neither. Only a card payment can reach a closed page, which is then credited. */
function expectOneOutcome(row: Row | undefined, known: KnownOffer): void {
  const { answers } = known;
  expect((row?.paid_at ?? null) !== null).toBe(isPaid(known));
  if (answers.has('resolved as charged')) expect(isPaid(known)).toBe(true);
  const isClosedForEver = answers.has('resolved as closed') || answers.has('closed');
  if (!isClosedForEver || !isPaid(known)) return;
  expect(known.method).toBe('E');
  expect(row).toMatchObject({ state: 'closed' });
}

async function expectOneInvoiceEach(run: Run): Promise<void> {
  const paid = [
    ...paidByCard(run.offers).map(({ offerId, group }) =>
      group === null ? `offer ${offerId} paid by card` : `group ${group.groupId} paid by card`,
    ),
    ...paidByCard(run.topUps).map(({ topUpId }) => `card top-up ${topUpId}`),
  ];
  const invoices = await test.billing.postgres.query<{ cause: string }>(
    'SELECT cause FROM invoices WHERE organisation_id = ANY ($1)',
    [run.books.map(({ organisationId }) => organisationId)],
  );
  expect(invoices.map(({ cause }) => cause).toSorted()).toEqual(paid.toSorted());
  const problems = await test.billing.postgres.query(
    `SELECT * FROM provider_events WHERE (offer_id = ANY ($1) OR group_id = ANY ($2))
        AND outcome NOT IN ('paid', 'paid-before', 'session-over', 'seen-before', 'not-paid-yet')`,
    [run.offers.map(({ offerId }) => offerId), run.offers.flatMap(({ group }) => group?.groupId ?? [])],
  );
  expect(problems).toEqual([]);
}

const idsOf = ({ group, offerId }: KnownOffer) => group?.offers.map((offer) => offer.offerId) ?? [offerId];

/** There is one event for each payment, so offers activates once and people get one mail. */
async function expectEventsOnce(run: Run, rows: Rows, book: Book): Promise<void> {
  const paid = paidByCard(ofBook(run.offers, book));
  const late = paid.filter((known) => isTopUp(rows, known));
  const offers = paid.flatMap((known) => (late.includes(known) ? [] : idsOf(known)));
  const topUps = [...paidByCard(ofBook(run.topUps, book)), ...ofBook(run.platformTopUps.values(), book)];
  const told = await test.emitted(OfferPaid, book);
  expect(told).toHaveLength(offers.length);
  expect(new Set(told.map(({ offerId }) => offerId))).toEqual(new Set(offers));
  expect(await test.emitted(BalanceToppedUp, book)).toHaveLength(topUps.length + late.length);
}
