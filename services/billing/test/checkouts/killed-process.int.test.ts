import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { signedCaller } from '@offer-ads/testing/caller';
import { runs } from '@offer-ads/testing/profile';
import { startServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { configFor, useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const test = useBilling();
// The victim has the real clock.
beforeEach(() => test.clock.set(new Date()));

/** The service as a process to be killed, on the test's database and simulator. */
function startVictim() {
  // Without a broker events stay in the outbox, where the test looks for them.
  const settings = configFor(test, 'amqp://guest:guest@127.0.0.1:9');
  const env = Object.entries(settings).map(([name, value]) => [name, `${value}`]);
  return startServiceProcess(main, Object.fromEntries(env) as Record<string, string>);
}

/** While `work` runs, whoever needs what `lock` has locked waits in the middle of its transaction. */
async function holding(
  lock: (tx: Transaction) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  await test.billing.postgres.transaction(async (tx) => {
    await lock(tx);
    await work();
  });
}

/** Asks again while a busy machine answers 503. Null: no answer came. */
async function untilNotBusy(ask: () => Promise<Response>): Promise<Response | null> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer?.status !== 503) return answer;
  }
}

const waitingForLocks = (statement: string) =>
  test.billing.postgres.query(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [`%${statement}%`],
  );
/** Other transactions of the database: the server may still be busy with the message of a process that has gone. */
const underWay = () =>
  test.billing.postgres.query(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
  );
const untilWaitsAt = (statement: string, transactions = 1) =>
  eventually(async () =>
    expect((await waitingForLocks(statement)).length).toBeGreaterThanOrEqual(transactions),
  );
const rowsOf = async (rows: string, { offerId }: { readonly offerId: number }) =>
  (await test.billing.postgres.query(`SELECT FROM ${rows}`, [offerId])).length;

/** What there is of the payment of an offer: its posting, its invoice, Stripe's event, and ours. */
async function tracesOf(offerId: number): Promise<number[]> {
  const count = (table: string) => rowsOf(`${table} WHERE offer_id = $1`, { offerId });
  const emitted = (await test.emitted(OfferPaid, { offerId })).length;
  return [
    await count('transactions'),
    await count('invoices'),
    await count("(SELECT * FROM provider_events WHERE outcome = 'paid') paid"),
    emitted,
  ];
}
const send = (to: { readonly url: string }, { body, signature }: Webhook) => {
  const headers = { 'stripe-signature': signature };
  return untilNotBusy(() =>
    fetch(`${to.url}/webhooks/stripe`, { method: 'POST', headers, body: new Uint8Array(body) }),
  );
};

describe('a process that is killed', () => {
  it('between Stripe’s answer and our commit leaves one session, which the repeat finds', async () => {
    const { postgres } = test.billing;
    const ANSWER_LOCK = 1;
    // The request that stores Stripe's answer waits while the test holds the lock.
    await postgres.query(
      `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM pg_advisory_xact_lock_shared(${ANSWER_LOCK}); RETURN NEW; END $$`,
    );
    await postgres.query(
      `CREATE TRIGGER wait_for_test BEFORE UPDATE ON offer_payments FOR EACH ROW EXECUTE FUNCTION wait_for_test()`,
    );
    for (let round = 0; round < runs(1, 20); round += 1) {
      await using victim = await startVictim();
      const order = test.newOrder();
      const { offerId, title, offerExpiryAt } = order;
      const caller = signedCaller({ audience: 'billing', organisationId: order.book.organisationId });
      const body = JSON.stringify({ offerId, title, netMinor: `${order.netMinor}`, offerExpiryAt });
      const headers = { 'content-type': 'application/json', ...caller };
      const ask = () => fetch(`${victim.url}/internal/checkouts`, { method: 'POST', headers, body });
      await holding(
        (tx) => tx.query('SELECT pg_advisory_xact_lock($1)', [ANSWER_LOCK]),
        async () => {
          const asked = untilNotBusy(ask);
          await untilWaitsAt('UPDATE offer_payments');
          expect(test.sessionsOf(offerId)).toHaveLength(1);
          await victim.kill();
          expect(await asked).toBeNull();
        },
      );
      expect(await test.checkout(order)).toMatchObject({ state: 'opening', session: { sessionId: null } });
      expect(await test.open(order)).toMatchObject({ outcome: 'opened' });
      const sessions = test.sessionsOf(offerId);
      expect(sessions).toHaveLength(1);
      expect((await test.checkout(order)).session.sessionId).toBe(sessions[0]);
    }
  }, 120_000);

  it.each([
    [
      'in the ledger leaves nothing of a payment; the webhook that comes again writes all of it',
      'entries',
      'UPDATE balances',
      0,
    ],
    [
      'in the commit leaves all of a payment; the webhook that comes again adds nothing',
      'invoices',
      'COMMIT',
      1,
    ],
  ] as const)(
    '%s',
    async (_what, table, statement, left) => {
      for (let round = 0; round < runs(1, 20); round += 1) {
        await using victim = await startVictim();
        const { offerId, sessionId } = await test.openOffer();
        const webhook = await test.payUnheard(sessionId);
        await holding(
          (tx) => tx.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`),
          async () => {
            const answer = send(victim, webhook);
            await untilWaitsAt(statement);
            await victim.kill();
            expect(await answer).toBeNull();
          },
        );
        await eventually(async () => expect(await underWay()).toEqual([]));
        expect(await tracesOf(offerId)).toEqual([left, left, left, left]);
        expect(await test.receive(webhook)).toBe('accepted');
        expect(await tracesOf(offerId)).toEqual([1, 1, 1, 1]);
      }
    },
    120_000,
  );

  it.each([
    ['in the ledger leaves nothing of a refund', 'entries', 'UPDATE balances', 0],
    ['in the commit leaves the refund with its credit note', 'credit_notes', 'COMMIT', 1],
  ] as const)(
    '%s; after the webhook that comes again, there is one credit note, and no number is missing',
    async (_what, table, statement, left) => {
      for (let round = 0; round < runs(1, 20); round += 1) {
        await using victim = await startVictim();
        const offer = await test.paidOffer();
        const webhook = await test.unheard(async () =>
          test.sentWebhook('refund.created', await test.reverse(`sessions/${offer.sessionId}/refund`)),
        );
        const traces = async () => [
          await rowsOf(
            `card_reversals JOIN offer_payments USING (payment_intent_id) WHERE offer_id = $1`,
            offer,
          ),
          await rowsOf(`transactions WHERE kind = 'card-refund' AND offer_id = $1`, offer),
          await rowsOf(`invoice_documents WHERE document = 'credit-note' AND offer_id = $1`, offer),
        ];
        await holding(
          (tx) => tx.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`),
          async () => {
            const answer = send(victim, webhook);
            await untilWaitsAt(statement);
            await victim.kill();
            expect(await answer).toBeNull();
          },
        );
        await eventually(async () => expect(await underWay()).toEqual([]));
        expect(await traces()).toEqual([left, left, left]);
        expect(await test.receive(webhook)).toBe('accepted');
        expect(await traces()).toEqual([1, 1, 1]);
      }
    },
    120_000,
  );

  it.each([
    ['in the ledger', 'entries', 'UPDATE balances'],
    ['in the commit', 'invoices', 'COMMIT'],
  ] as const)(
    '%s of several payments at once leaves all or nothing of each; webhooks that come again write what is missing',
    async (_what, table, statement) => {
      for (let round = 0; round < runs(1, 20); round += 1) {
        await using victim = await startVictim();
        const payments = await inTens(5, async () => {
          const { offerId, sessionId } = await test.openOffer();
          return { offerId, webhook: await test.payUnheard(sessionId) };
        });
        await holding(
          (tx) => tx.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`),
          async () => {
            const answers = payments.map(({ webhook }) => send(victim, webhook));
            await untilWaitsAt(statement, 3);
            await victim.kill();
            expect(await Promise.all(answers)).toEqual(answers.map(() => null));
          },
        );
        await eventually(async () => expect(await underWay()).toEqual([]));
        for (const { offerId, webhook } of payments) {
          const left = await tracesOf(offerId);
          expect(left).toEqual(Array(4).fill(table === 'entries' ? 0 : left[0]));
          expect(await test.receive(webhook)).toBe('accepted');
          expect(await tracesOf(offerId)).toEqual([1, 1, 1, 1]);
        }
      }
    },
    120_000,
  );
});
