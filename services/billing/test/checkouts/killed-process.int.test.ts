import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { signedCaller } from '@offer-ads/testing/caller';
import { runs } from '@offer-ads/testing/profile';
import { startServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { configFor, useBilling, type Webhook } from '../billing-under-test.ts';

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

/** Asks again while a busy machine answers 503, for a minute. Null: no answer came. */
async function untilNotBusy(ask: () => Promise<Response>): Promise<Response | null> {
  for (const giveUpAt = performance.now() + 60_000; ; await pause(20)) {
    const answer = await ask().catch(() => null);
    if (answer?.status !== 503 || performance.now() > giveUpAt) return answer;
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
const untilWaitsAt = (statement: string) =>
  eventually(async () => expect(await waitingForLocks(statement)).not.toEqual([]));
const rowsOf = async (rows: string, { offerId }: { readonly offerId: number }) =>
  (await test.billing.postgres.query(`SELECT FROM ${rows}`, [offerId])).length;

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
      `CREATE TRIGGER wait_for_test BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION wait_for_test()`,
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
          await untilWaitsAt('UPDATE payments');
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

  /** The payment of an offer or of a group of one, and the refund of an offer: the webhook, and what there is of it. */
  const news = {
    payment: async () => {
      const { offerId, sessionId } = await test.openOffer();
      const count = (table: string) => rowsOf(`${table} WHERE offer_id = $1`, { offerId });
      const traces = async () => [
        await count('transactions'),
        await count('invoices'),
        await count("(SELECT * FROM provider_events WHERE outcome = 'paid') paid"),
        (await test.emitted(OfferPaid, { offerId })).length,
      ];
      return { webhook: await test.payUnheard(sessionId), traces };
    },
    'group payment': async () => {
      const { groupId, book, sessionId } = await test.openGroup([10_00n]);
      const count = (table: string, id: number) => rowsOf(`${table} = $1`, { offerId: id });
      const traces = async () => [
        await count(`payments WHERE state = 'charged' AND of_group`, groupId),
        await count(
          `transactions WHERE kind = 'group-card-payment' AND organisation_id`,
          book.organisationId,
        ),
        await count(`transactions WHERE kind = 'offer-charge' AND organisation_id`, book.organisationId),
        await count('invoices WHERE organisation_id', book.organisationId),
        (await test.emitted(OfferPaid, book)).length,
      ];
      return { webhook: await test.payUnheard(sessionId), traces };
    },
    refund: async () => {
      const offer = await test.paidOffer();
      const webhook = await test.unheard(async () =>
        test.sentWebhook('refund.created', await test.reverse(`sessions/${offer.sessionId}/refund`)),
      );
      const traces = async () => [
        await rowsOf(`card_reversals JOIN payments USING (payment_intent_id) WHERE offer_id = $1`, offer),
        await rowsOf(`transactions WHERE kind = 'card-refund' AND offer_id = $1`, offer),
        await rowsOf(`invoice_documents WHERE document = 'credit-note' AND offer_id = $1`, offer),
      ];
      return { webhook, traces };
    },
  };

  it.each([
    ['in the ledger leaves nothing of a payment', 'payment', 'entries', 'UPDATE balances', 0],
    ['in the commit leaves all of a payment', 'payment', 'invoices', 'COMMIT', 1],
    ['in the ledger leaves nothing of a group’s payment', 'group payment', 'entries', 'UPDATE balances', 0],
    ['in the commit leaves all of a group’s payment', 'group payment', 'invoices', 'COMMIT', 1],
    ['in the ledger leaves nothing of a refund', 'refund', 'entries', 'UPDATE balances', 0],
    ['in the commit leaves the refund with its credit note', 'refund', 'credit_notes', 'COMMIT', 1],
  ] as const)(
    '%s; after the webhook that comes again, all of it is there once',
    async (_what, kind, table, statement, left) => {
      for (let round = 0; round < runs(1, 20); round += 1) {
        await using victim = await startVictim();
        const { webhook, traces } = await news[kind]();
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
        expect(new Set(await traces())).toEqual(new Set([left]));
        expect(await test.receive(webhook)).toBe('accepted');
        expect(new Set(await traces())).toEqual(new Set([1]));
      }
    },
    120_000,
  );
});
