/** Charges, payments, closings, credits, top-ups and reversals in any order and at once: every penny is explained. */
import { expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { accountKinds, type Book } from '../../src/domain/ledger/ledger.ts';
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
        for (const of of run.books) {
          await expectStatementToAddUp(of);
          await expectBooksOfModel(run, of);
        }
        for (const known of run.offers) await expectOneOutcome(run, known);
        await expectOneInvoiceEach(run);
        await expectEventsOnce(run);
        expect(await test.ledgerProblems()).toEqual([]);
      }),
      { numRuns: runs(40, 1_000) },
    );
  },
  runs(120_000, 3_600_000),
);

async function expectStatementToAddUp({ organisationId, mode }: Book): Promise<void> {
  const lines = await test.billing.postgres.query<{
    cause: string;
    booked_at: Date;
    balance_after_minor: bigint;
    total: bigint;
    change: bigint;
  }>(
    `SELECT cause, booked_at, balance_after_minor, sum(amount_minor)::bigint AS total,
            coalesce(sum(amount_minor) FILTER (WHERE accounts.kind = 'prepaid-balance'), 0)::bigint AS change
       FROM transactions t JOIN entries USING (transaction_id) JOIN accounts USING (account_id)
      WHERE t.organisation_id = $1 AND t.mode = $2 GROUP BY transaction_id ORDER BY transaction_id`,
    [organisationId, mode],
  );
  let balance = 0n;
  let latest = 0;
  for (const line of lines) {
    balance += line.change;
    expect(line).toMatchObject({ total: 0n, balance_after_minor: balance });
    expect(balance).toBeGreaterThanOrEqual(0n);
    expect(line.booked_at.getTime()).toBeGreaterThanOrEqual(latest);
    latest = line.booked_at.getTime();
  }
  const [standing] = await test.billing.postgres.query<{ balance_minor: bigint }>(
    `SELECT balance_minor FROM balances JOIN accounts USING (account_id) WHERE organisation_id = $1 AND mode = $2`,
    [organisationId, mode],
  );
  expect(standing?.balance_minor ?? 0n).toBe(balance);
}

const bearers = { platform: 'card-losses', balance: 'prepaid-balance' } as const;

/** The sums of the accounts follow from what payers, offers and the platform team know. */
async function expectBooksOfModel(run: Run, of: Book): Promise<void> {
  const model = Object.fromEntries(accountKinds.map((kind) => [kind, 0n]));
  const move = (kind: (typeof accountKinds)[number], by: bigint) => {
    model[kind] = (model[kind] ?? 0n) + by;
  };
  for (const known of run.offers.filter((one) => one.book === of)) {
    const credit = await creditWithinBounds(run, known);
    move('prepaid-balance', credit);
    move('unused-time-credits', -credit);
    if (!isPaid(known)) continue;
    move('sales', known.netMinor);
    if (known.method === 'B') move('prepaid-balance', -known.netMinor);
    else move('card-clearing', -known.netMinor - known.vatMinor);
    move('vat-payable', known.vatMinor);
  }
  for (const { netMinor, vatMinor } of run.topUps.filter(
    (one) => one.book === of && one.paidSession !== null,
  )) {
    move('prepaid-balance', netMinor);
    move('vat-payable', vatMinor);
    move('card-clearing', -netMinor - vatMinor);
  }
  for (const { minor } of [...run.platformTopUps.values()].filter((one) => one.book === of)) {
    move('prepaid-balance', minor);
    move('top-up-source', -minor);
  }
  for (const { minor, borneBy } of [...run.reversals.values()].filter(
    (one) => one.book === of && !one.returned,
  )) {
    move('card-clearing', minor);
    move(borneBy === null ? 'card-reversals' : bearers[borneBy], -minor);
  }
  const rows = await test.billing.postgres.query<{ kind: string; total: bigint }>(
    `SELECT kind, coalesce(sum(amount_minor), 0)::bigint AS total FROM accounts LEFT JOIN entries USING (account_id)
      WHERE organisation_id = $1 AND mode = $2 AND currency = $3 GROUP BY kind`,
    [of.organisationId, of.mode, of.currency],
  );
  const booked = Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
  expect({ ...Object.fromEntries(accountKinds.map((kind) => [kind, 0n])), ...booked }).toEqual(model);
}

function isPaid({ answers, paidSession }: KnownOffer): boolean {
  return answers.has('charged') || paidSession !== null;
}

/**
 * At least what Unused Time is worth without the money that the provider has taken back. More only if it was credited before that; then it
 * is owed.
 */
async function creditWithinBounds(run: Run, known: KnownOffer): Promise<bigint> {
  const credited = (await rowOf(known))?.credited_minor ?? 0n;
  const earned = await earnedCredit(known);
  const takenBack = [...run.reversals.values()]
    .filter((one) => one.offerId === known.offerId && !one.returned && one.borneBy !== 'balance')
    .reduce((sum, { minor }) => sum + minor, 0n);
  const gross = known.netMinor + known.vatMinor;
  const kept = takenBack > gross ? 0n : (known.netMinor * (gross - takenBack)) / gross;
  expect(credited).toBeGreaterThanOrEqual(earned < kept ? earned : kept);
  expect(credited).toBeLessThanOrEqual(earned);
  return credited;
}

/** Of the largest report, rounded half up; the whole price if the payment reached a closed page. */
async function earnedCredit(known: KnownOffer): Promise<bigint> {
  if (!isPaid(known)) return 0n;
  if ((await rowOf(known))?.state === 'closed') return known.netMinor;
  const parts = BigInt(Math.min(known.unusedParts ?? 0, PARTS_OF_TIME));
  const all = BigInt(PARTS_OF_TIME);
  return (2n * known.netMinor * parts + all) / (2n * all);
}

type Row = { readonly state: string; readonly paid_at: Date | null; readonly credited_minor: bigint };

async function rowOf({ offerId }: KnownOffer): Promise<Row | undefined> {
  const [row] = await test.billing.postgres.query<Row>(
    'SELECT state, paid_at, credited_minor FROM offer_payments WHERE offer_id = $1',
    [offerId],
  );
  return row;
}

/** An offer is paid, or closed, or neither. Only a card payment can reach a closed page, which is then credited. */
async function expectOneOutcome(run: Run, known: KnownOffer): Promise<void> {
  const row = await rowOf(known);
  const { answers } = known;
  expect((row?.paid_at ?? null) !== null).toBe(isPaid(known));
  await creditWithinBounds(run, known);
  if (answers.has('resolved as charged')) expect(isPaid(known)).toBe(true);
  const isClosedForEver = answers.has('resolved as closed') || answers.has('closed');
  if (!isClosedForEver || !isPaid(known)) return;
  expect(known.method).toBe('E');
  expect(row).toMatchObject({ state: 'closed' });
}

async function expectOneInvoiceEach(run: Run): Promise<void> {
  const paid = [
    ...run.offers
      .filter(({ paidSession }) => paidSession !== null)
      .map(({ offerId }) => `offer ${offerId} paid by card`),
    ...run.topUps
      .filter(({ paidSession }) => paidSession !== null)
      .map(({ topUpId }) => `card top-up ${topUpId}`),
  ];
  const organisations = run.books.map(({ organisationId }) => organisationId);
  const invoices = await test.billing.postgres.query<{ cause: string }>(
    'SELECT cause FROM invoices WHERE organisation_id = ANY ($1)',
    [organisations],
  );
  expect(invoices.map(({ cause }) => cause).toSorted()).toEqual(paid.toSorted());
  const modes = await test.billing.postgres.query<{ issued: bigint; latest: bigint }>(
    'SELECT count(*) AS issued, max(sequence) AS latest FROM invoices GROUP BY mode',
  );
  for (const { issued, latest } of modes) expect(latest).toBe(issued);
  const problems = await test.billing.postgres.query(
    `SELECT * FROM provider_events WHERE offer_id = ANY ($1)
        AND outcome NOT IN ('paid', 'paid-before', 'session-over', 'seen-before', 'not-paid-yet')`,
    [run.offers.map(({ offerId }) => offerId)],
  );
  expect(problems).toEqual([]);
}

/** There is one event for each payment, so offers activates once and people get one mail. */
async function expectEventsOnce(run: Run): Promise<void> {
  const counted = await test.billing.postgres.query<{ type: string; organisation: string; times: bigint }>(
    `SELECT event->>'type' AS type, event->'data'->>'organisationId' AS organisation, count(*) AS times FROM outbox
      WHERE event->'data'->>'organisationId' = ANY ($1) GROUP BY 1, 2`,
    [run.books.map(({ organisationId }) => `${organisationId}`)],
  );
  for (const of of run.books) {
    const times = (name: string) =>
      counted.find(({ type, organisation }) => type.includes(name) && organisation === `${of.organisationId}`)
        ?.times ?? 0n;
    const ofBook = <T extends { readonly book: Book }>(all: Iterable<T>) =>
      [...all].filter((one) => one.book === of);
    const byPayers = ofBook(run.topUps).filter(({ paidSession }) => paidSession !== null);
    const paidOffers = ofBook(run.offers).filter(({ paidSession }) => paidSession !== null);
    expect(times('OfferPaid')).toBe(BigInt(paidOffers.length));
    expect(times('BalanceToppedUp')).toBe(
      BigInt(byPayers.length + ofBook(run.platformTopUps.values()).length),
    );
  }
}
