import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { runs } from '@offer-ads/testing/profile';
import { startServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type CheckoutOrder, openCheckout } from '../../src/checkouts/open-checkout.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import {
  type BillingUnderTest,
  startBillingUnderTest,
  stripeKeys,
  type Webhook,
} from '../billing-under-test.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
// The victim's clock is the real one.
beforeEach(() => test.clock.set(new Date()));
afterEach(async () => {
  await test.setFaults({});
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

/** The service as a process of its own, on the test's database and simulator, to be killed. */
const startVictim = () =>
  startServiceProcess(main, {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    PUBLIC_URL: test.billing.publicUrl,
    BILLING_DATABASE_URL: test.databaseUrl,
    // Nobody is there: events stay in the outbox, where the test looks for them.
    RABBITMQ_URL: 'amqp://guest:guest@127.0.0.1:9',
    BILLING_CONTEXT_SECRET: testContextSecret,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    STRIPE_API_URL: test.simulatorUrl,
    STRIPE_TEST_SECRET_KEY: stripeKeys.TEST.secretKey,
    STRIPE_TEST_WEBHOOK_SECRET: stripeKeys.TEST.webhookSecret,
    STRIPE_LIVE_SECRET_KEY: stripeKeys.LIVE.secretKey,
    STRIPE_LIVE_WEBHOOK_SECRET: stripeKeys.LIVE.webhookSecret,
    SELLER_NAME: 'Offer Ads Ltd',
    SELLER_ADDRESS: '1 High Street, London',
    SELLER_VAT_NUMBER: 'GB 123 4567 82',
  });

/** While `work` runs, whoever needs what `lock` holds stands still in the middle of its transaction. */
async function holding(
  lock: (tx: Transaction) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  await test.billing.postgres.transaction(async (tx) => {
    await lock(tx);
    await work();
  });
}

/** Whoever writes what Stripe has answered stands still while somebody holds this lock. */
const ANSWER_LOCK = 1;
const standStillAtAnswer = async () => {
  const { postgres } = test.billing;
  await postgres.query(
    `CREATE OR REPLACE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_advisory_xact_lock_shared(${ANSWER_LOCK}); RETURN NEW; END $$`,
  );
  await postgres.query(
    `CREATE OR REPLACE TRIGGER stand_still BEFORE UPDATE ON offer_payments FOR EACH ROW EXECUTE FUNCTION stand_still()`,
  );
};

/** As callers and Stripe do, of whom the victim lets nobody wait for longer than a store may take. Null: no answer came. */
async function untilNotBusy(ask: () => Promise<Response>): Promise<Response | null> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer?.status !== 503) return answer;
  }
}

/** Until a connection of the victim waits for a lock in a statement like this. */
async function standsStillAt(statement: string): Promise<void> {
  await eventually(async () => {
    const waiting = await test.billing.postgres.query(
      `SELECT query FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [`%${statement}%`],
    );
    expect(waiting.length).toBeGreaterThan(0);
  });
}

async function gone(): Promise<void> {
  await eventually(async () => {
    const waiting = await test.billing.postgres.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(waiting).toEqual([]);
  });
}

describe('a process that is killed', () => {
  it('between Stripe’s answer and our commit leaves one session, which the repeat finds', async () => {
    await standStillAtAnswer();
    for (let round = 0; round < runs(1, 20); round += 1) {
      await using victim = await startVictim();
      const order: CheckoutOrder = {
        offerId: test.newOfferId(),
        book: test.newBook(),
        country: 'GB',
        title: 'Two for one',
        netMinor: 10_00n,
        offerExpiryAt: new Date(Date.now() + 10 * 24 * 3_600_000),
      };
      const ask = () =>
        fetch(`${victim.url}/internal/checkouts`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...signedCaller({ audience: 'billing', organisationId: order.book.organisationId }),
          },
          body: JSON.stringify({
            offerId: order.offerId,
            title: order.title,
            netMinor: `${order.netMinor}`,
            offerExpiryAt: order.offerExpiryAt.toISOString(),
          }),
        });
      await holding(
        (tx) => tx.query('SELECT pg_advisory_xact_lock($1)', [ANSWER_LOCK]),
        async () => {
          const asked = untilNotBusy(ask);
          await standsStillAt('UPDATE offer_payments');
          expect(test.sessionsOf(order.offerId)).toHaveLength(1);
          await victim.kill();
          expect(await asked).toBeNull();
        },
      );
      expect((await test.cardPayment(order.offerId)).checkout).toMatchObject({
        state: 'opening',
        session: { sessionId: null },
      });
      expect(await openCheckout(test.billing, order, stripeDeadline())).toMatchObject({ outcome: 'opened' });
      const [session, ...others] = test.sessionsOf(order.offerId);
      expect(others).toEqual([]);
      expect((await test.cardPayment(order.offerId)).checkout.session.sessionId).toBe(session);
    }
  }, 120_000);

  it('between ledger and outbox leaves neither; the webhook that comes again does both', async () => {
    for (let round = 0; round < runs(1, 20); round += 1) {
      await using victim = await startVictim();
      const offer = await test.openOffer();
      test.webhooks.lost = true;
      await test.pay(offer.sessionId);
      const webhook = await eventually(() => {
        const found = test.webhooks.sent.find(({ body }) => body.includes(offer.sessionId));
        if (found === undefined) throw new Error('not sent yet');
        return found;
      });
      await holding(
        (tx) => tx.query('LOCK TABLE outbox IN EXCLUSIVE MODE'),
        async () => {
          const answer = deliver(victim.url, webhook);
          await standsStillAt('INSERT INTO outbox');
          await victim.kill();
          expect(await answer).toBeNull();
        },
      );
      await gone();
      expect(await traces(offer.offerId)).toEqual({ booked: 0, told: 0, heard: 0 });
      expect(await receiveWebhook(test.billing, webhook.body, webhook.signature)).toBe('accepted');
      expect(await traces(offer.offerId)).toEqual({ booked: 1, told: 1, heard: 1 });
    }
  }, 120_000);
});

async function deliver(url: string, { body, signature }: Webhook): Promise<number | null> {
  const answer = await untilNotBusy(() =>
    fetch(`${url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body: new Uint8Array(body),
    }),
  );
  return answer?.status ?? null;
}

async function traces(offerId: number) {
  const booked = await test.billing.postgres.query('SELECT FROM transactions WHERE offer_id = $1', [offerId]);
  const heard = await test.billing.postgres.query('SELECT FROM provider_events WHERE offer_id = $1', [
    offerId,
  ]);
  const told = (await test.emitted(OfferPaid)).filter((event) => event.offerId === offerId);
  return { booked: booked.length, told: told.length, heard: heard.length };
}
