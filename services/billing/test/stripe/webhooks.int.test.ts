import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics, type Metrics } from '@offer-ads/platform/telemetry/metrics';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { followPaymentLink } from '../../src/checkouts/follow-payment-link.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { billingMeters } from '../../src/meters.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { latestProblems } from '../../src/webhooks/provider-events-store.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import {
  type BillingUnderTest,
  startBillingUnderTest,
  stripeKeys,
  type Webhook,
} from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterEach(async () => {
  await test.setFaults({});
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

const receive = ({ body, signature }: Webhook) => receiveWebhook(test.billing, body, signature);

/** The genuine webhook of a payment, caught before billing heard of it. */
async function caughtWebhook(sessionId: string): Promise<Webhook> {
  test.webhooks.lost = true;
  await test.pay(sessionId);
  const webhook = await eventually(() => {
    const found = test.webhooks.sent.find(({ body }) => body.includes(sessionId));
    if (found === undefined) throw new Error('not sent yet');
    return found;
  });
  return webhook;
}

function signed(body: string, secret: string, at = test.clock.now()): Webhook {
  const seconds = Math.floor(at.getTime() / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { body: Buffer.from(body), signature: `t=${seconds},v1=${mac}` };
}

const paidEvents = async (offerId: number) =>
  (await test.emitted(OfferPaid)).filter((event) => event.offerId === offerId);

async function entriesOf(offerId: number) {
  return test.billing.postgres.query<{ kind: string; amount_minor: bigint }>(
    `SELECT accounts.kind, amount_minor FROM entries JOIN accounts USING (account_id) JOIN transactions USING (transaction_id)
      WHERE offer_id = $1 ORDER BY entries.transaction_id, accounts.kind`,
    [offerId],
  );
}

describe('a payment', () => {
  it('is booked with its VAT and told to offers', async () => {
    const { sessionId, offerId, book } = await test.openOffer();
    await test.pay(sessionId);
    await eventually(async () => expect(await paidEvents(offerId)).toHaveLength(1));
    expect(await paidEvents(offerId)).toEqual([
      { offerId, ...book, netMinor: '1000', vatMinor: '200', paidAt: test.clock.now().toISOString() },
    ]);
    expect(await entriesOf(offerId)).toEqual([
      { kind: 'card-clearing', amount_minor: -1200n },
      { kind: 'sales', amount_minor: 1000n },
      { kind: 'vat-payable', amount_minor: 200n },
    ]);
    expect(await balanceOf(test.billing.postgres, book)).toBe(0n);
  });

  it('in LIVE mode is accepted under the secret of LIVE mode', async () => {
    const { sessionId, offerId } = await test.openOffer({ book: test.newBook({ mode: 'LIVE' }) });
    await test.pay(sessionId);
    await eventually(async () => expect(await paidEvents(offerId)).toHaveLength(1));
  });

  it('counts even when its webhook is faster than the answer that names the session', async () => {
    const { sessionId, offerId } = await test.openOffer();
    await test.billing.postgres.query(`UPDATE offer_payments SET state = 'opening' WHERE offer_id = $1`, [
      offerId,
    ]);
    await test.billing.postgres.query(
      'UPDATE checkout_sessions SET session_id = NULL, url = NULL WHERE offer_id = $1',
      [offerId],
    );
    await test.pay(sessionId);
    await eventually(async () => expect(await paidEvents(offerId)).toHaveLength(1));
    expect((await test.cardPayment(offerId)).checkout).toMatchObject({
      state: 'paid',
      session: { sessionId },
    });
  });

  it('told by two different events is one payment, and both are accepted', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const first = await caughtWebhook(sessionId);
    const second = signed(
      first.body
        .toString()
        .replace(/"id": "evt_\w+"/, '"id": "evt_second"')
        .replace('checkout.session.completed', 'checkout.session.async_payment_succeeded'),
      stripeKeys.TEST.webhookSecret,
    );
    expect(await Promise.all([receive(first), receive(second)])).toEqual(['accepted', 'accepted']);
    expect(await paidEvents(offerId)).toHaveLength(1);
    expect(await entriesOf(offerId)).toHaveLength(3);
  });

  it('of a closed checkout is on record, told to offers and credited in full', async () => {
    const { sessionId, offerId, book } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    // As if Stripe had first expired the session and then taken the money all the same.
    await test.billing.postgres.query(`UPDATE offer_payments SET state = 'closed' WHERE offer_id = $1`, [
      offerId,
    ]);
    expect(await receive(webhook)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
    expect(await balanceOf(test.billing.postgres, book)).toBe(1000n);
    expect(await test.emitted(BalanceCredited)).toContainEqual({
      ...book,
      offerId,
      title: 'Two for one',
      amountMinor: '1000',
      balanceMinor: '1000',
    });
  });

  it('is accepted under the secret that is being replaced and under the one that replaces it', async () => {
    const { TEST, LIVE } = test.billing.stripe;
    const replacing = { ...TEST, webhookSecret: `whsec_the-next-one,${TEST.webhookSecret}` };
    const billing = { ...test.billing, stripe: { LIVE, TEST: replacing } };
    for (const secret of [TEST.webhookSecret, 'whsec_the-next-one']) {
      const { sessionId, offerId } = await test.openOffer();
      const { body } = await caughtWebhook(sessionId);
      const webhook = signed(body.toString(), secret);
      expect(await receiveWebhook(billing, webhook.body, webhook.signature)).toBe('accepted');
      expect(await paidEvents(offerId)).toHaveLength(1);
    }
    const forged = signed('{}', 'whsec_neither-of-them');
    expect(await receiveWebhook(billing, forged.body, forged.signature)).toBe('refused');
  });

  it('three days late, from a session long over, still counts', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const { body } = await caughtWebhook(sessionId);
    test.clock.advance(3 * 24 * 3_600_000);
    expect(await receive(signed(body.toString(), stripeKeys.TEST.webhookSecret))).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });
});

it('webhooks in 1 to 20 copies each, shuffled and at once, are one booking each', async () => {
  const count = runs(25, 1_000);
  const webhooks: Webhook[] = [];
  const offers: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const { offerId, sessionId } = await test.openOffer();
    offers.push(offerId);
    const webhook = await caughtWebhook(sessionId);
    webhooks.push(...Array.from({ length: 1 + (index % 20) }, () => webhook));
  }
  const shuffled = webhooks
    .map((webhook) => ({ webhook, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ webhook }) => webhook);
  // As many at a time as Stripe would send, and again what was answered with a 503.
  const deliver = async () => {
    for (let next = shuffled.pop(); next !== undefined; next = shuffled.pop()) {
      const webhook = next;
      await eventually(async () => expect(await receive(webhook)).toBe('accepted'));
    }
  };
  await Promise.all(Array.from({ length: 16 }, deliver));
  const paid = (await test.emitted(OfferPaid)).filter(({ offerId }) => offers.includes(offerId));
  expect(paid.map(({ offerId }) => offerId).toSorted((a, b) => a - b)).toEqual(offers);
  for (const offerId of offers) expect(await entriesOf(offerId)).toHaveLength(3);
}, 300_000);

it('the simulator’s own duplicates and delays change nothing either', async () => {
  await test.setFaults({ duplicate: 5, shuffle: true });
  const opened = await Promise.all(Array.from({ length: 10 }, () => test.openOffer()));
  const sentBefore = test.webhooks.sent.length;
  await Promise.all(opened.map(({ sessionId }) => test.pay(sessionId)));
  await eventually(() => expect(test.webhooks.sent.length - sentBefore).toBeGreaterThanOrEqual(50));
  await eventually(async () => {
    for (const { offerId } of opened) expect(await paidEvents(offerId)).toHaveLength(1);
  });
});

describe('a payment method that takes its time', () => {
  const changed = (webhook: Webhook, ...changes: readonly (readonly [RegExp | string, string])[]) => {
    let text = webhook.body.toString();
    for (const [from, to] of changes) {
      expect(text.replace(from, to)).not.toBe(text);
      text = text.replace(from, to);
    }
    return signed(text, stripeKeys.TEST.webhookSecret);
  };
  const unpaid = ['"payment_status": "paid"', '"payment_status": "unpaid"'] as const;
  const renamed = (id: string) => [/"id": "evt_\w+"/, `"id": "${id}"`] as const;
  const completed = 'checkout.session.completed';

  it('is paid when the money has come, not when the page was completed', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    expect(await receive(changed(webhook, unpaid))).toBe('accepted');
    expect(await paidEvents(offerId)).toEqual([]);
    const later = [completed, 'checkout.session.async_payment_succeeded'] as const;
    expect(await receive(changed(webhook, renamed(`evt_paid_${offerId}`), later))).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });

  it('and fails leaves a link that opens the next session', async () => {
    const { sessionId, offerId, payToken } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    await receive(changed(webhook, unpaid));
    const failed = [completed, 'checkout.session.async_payment_failed'] as const;
    await receive(changed(webhook, unpaid, renamed(`evt_failed_${offerId}`), failed));
    expect(await followPaymentLink(test.billing, payToken, stripeDeadline())).toMatchObject({
      kind: 'session',
    });
    expect((await test.cardPayment(offerId)).checkout.session.generation).toBe(2);
    expect(await paidEvents(offerId)).toEqual([]);
  });

  it('counts when its news overtake each other: expired first, then paid', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    const expired = [completed, 'checkout.session.expired'] as const;
    await receive(changed(webhook, unpaid, renamed(`evt_expired_${offerId}`), expired));
    expect(await receive(webhook)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });
});

it('a webhook is answered only after the commit: a database that refuses it leaves no trace, and Stripe sends it again', async () => {
  const { sessionId, offerId } = await test.openOffer();
  const webhook = await caughtWebhook(sessionId);
  const { postgres } = test.billing;
  await postgres.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`,
  );
  await postgres.query(
    `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  try {
    await expect(receive(webhook)).rejects.toThrow('disk full');
  } finally {
    await postgres.query('DROP TRIGGER refuse ON outbox');
  }
  expect(await entriesOf(offerId)).toEqual([]);
  expect((await test.cardPayment(offerId)).checkout.state).toBe('open');
  expect(await receive(webhook)).toBe('accepted');
  expect(await entriesOf(offerId)).toHaveLength(3);
  expect(await paidEvents(offerId)).toHaveLength(1);
});

/** As `receive`, by a billing whose log and metrics are looked at. */
async function receiveWatched({ body, signature }: Webhook) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'billing', level: 'info', destination });
  const metrics = createMetrics('billing');
  const answer = await receiveWebhook(
    { ...test.billing, logger, meters: billingMeters(metrics) },
    body,
    signature,
  );
  const logged = lines.map((line) => {
    const { time: _time, service: _service, ...said } = JSON.parse(line) as Record<string, unknown>;
    return said;
  });
  return { answer, logged, metrics };
}

/** All else is told as 0. */
async function countOf(metrics: Metrics, name: string) {
  const told = (await metrics.registry.getSingleMetric(name)?.get())?.values;
  return told?.filter(({ value }) => value > 0);
}

describe('refused is', () => {
  /** And nothing of what was sent is in the log. */
  const refused = (reason: 'unsigned' | 'wrong-mode') => ({
    answer: 'refused',
    paidEvents: [],
    state: 'open',
    logged: [{ level: 'warn', msg: 'webhook refused', reason }],
    counted: [{ labels: { outcome: reason }, value: 1 }],
  });

  async function effectOf(webhook: Webhook, offerId: number) {
    const { answer, logged, metrics } = await receiveWatched(webhook);
    return {
      answer,
      paidEvents: await paidEvents(offerId),
      state: (await test.cardPayment(offerId)).checkout.state,
      logged,
      counted: await countOf(metrics, 'stripe_webhooks_total'),
    };
  }

  it('a forged signature, or none', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    expect(await effectOf({ ...webhook, signature: '' }, offerId)).toEqual(refused('unsigned'));
    expect(await effectOf(signed(webhook.body.toString(), 'whsec_forged'), offerId)).toEqual(
      refused('unsigned'),
    );
  });

  it.each(['t', '=', ',', 't=1', 't=1,v1', 't=1,v1=', 't=abc,v1=,,,=', 't=1,v1==00', 't=1,v1=\u00e9'])(
    'what is no signature: %s',
    async (signature) => {
      expect(await receive({ body: Buffer.from('{}'), signature })).toBe('refused');
    },
  );

  it('a body that was altered after signing', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const { body, signature } = await caughtWebhook(sessionId);
    const altered = body.toString().replace('"amount_total": 1200', '"amount_total": 1201');
    expect(altered).not.toBe(body.toString());
    expect(await effectOf({ body: Buffer.from(altered), signature }, offerId)).toEqual(refused('unsigned'));
  });

  it('a webhook signed 301 seconds ago; 300 are accepted', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const webhook = await caughtWebhook(sessionId);
    test.clock.advance(301_000);
    expect(await effectOf(webhook, offerId)).toEqual(refused('unsigned'));
    test.clock.advance(-1_000);
    expect(await receive(webhook)).toBe('accepted');
  });

  it('an event of one mode under the secret of the other', async () => {
    const { sessionId, offerId } = await test.openOffer();
    const { body } = await caughtWebhook(sessionId);
    expect(await effectOf(signed(body.toString(), stripeKeys.LIVE.webhookSecret), offerId)).toEqual(
      refused('wrong-mode'),
    );
  });
});

describe('kept for a person and never applied is', () => {
  it.each([
    ['a payment of another amount', '"amount_total": 1200', '"amount_total": 1199', 'wrong-amount'],
    ['a payment in another currency', '"currency": "gbp"', '"currency": "usd"', 'wrong-amount'],
    [
      'a payment that names another organisation',
      /"organisation_id": "\d+"/,
      '"organisation_id": "999999"',
      'other-organisation',
    ],
    [
      'a session that is complete but not paid yet',
      '"payment_status": "paid"',
      '"payment_status": "unpaid"',
      'not-paid-yet',
    ],
  ])('%s', async (_name, genuine, altered, outcome) => {
    const { sessionId, offerId } = await test.openOffer();
    const { body } = await caughtWebhook(sessionId);
    const changed = body.toString().replace(genuine, altered);
    expect(changed).not.toBe(body.toString());
    const { answer, logged, metrics } = await receiveWatched(signed(changed, stripeKeys.TEST.webhookSecret));
    expect(answer).toBe('accepted');
    const isProblem = outcome !== 'not-paid-yet';
    const alert = {
      level: 'error',
      msg: 'a card payment cannot be applied and waits for a person',
      problem: outcome,
    };
    expect(logged).toMatchObject(isProblem ? [alert] : []);
    const counted = await countOf(metrics, 'card_payments_total');
    expect(counted).toEqual(isProblem ? [{ labels: { outcome }, value: 1 }] : []);
    expect(await paidEvents(offerId)).toEqual([]);
    expect((await test.cardPayment(offerId)).checkout).toMatchObject({ state: 'open', paidAt: null });
    const kept = await test.billing.postgres.query(
      'SELECT outcome FROM provider_events WHERE session_id = $1',
      [sessionId],
    );
    expect(kept).toEqual([{ outcome }]);
    const listed = await latestProblems(test.billing.postgres, 500);
    const problem = isProblem ? [{ sessionId, problem: outcome }] : [];
    expect(listed.filter((line) => line.sessionId === sessionId)).toMatchObject(problem);
  });

  it('a payment of an earlier generation whose session is not the one on record', async () => {
    const offer = await test.openOffer();
    test.clock.advance(24 * 3_600_000);
    await followPaymentLink(test.billing, offer.payToken, stripeDeadline());
    const { body } = await caughtWebhook(test.sessionsOf(offer.offerId)[1] ?? '');
    const changed = body.toString().replace('"generation": "2"', '"generation": "1"');
    expect(changed).not.toBe(body.toString());
    const { logged } = await receiveWatched(signed(changed, stripeKeys.TEST.webhookSecret));
    expect(logged).toMatchObject([{ level: 'error', problem: 'unknown-session' }]);
    expect(await paidEvents(offer.offerId)).toEqual([]);
  });
});

it('an event about something else is accepted and changes nothing', async () => {
  const other = JSON.stringify({
    id: 'evt_other',
    object: 'event',
    type: 'charge.updated',
    livemode: false,
    data: { object: {} },
  });
  expect(await receive(signed(other, stripeKeys.TEST.webhookSecret))).toBe('accepted');
});

it('the end of another system’s session, made under the same number in the same account, ends none of ours', async () => {
  const { sessionId, offerId, payToken } = await test.openOffer();
  const webhook = await caughtWebhook(sessionId);
  const theirs = webhook.body
    .toString()
    .replaceAll(sessionId, 'cs_test_elsewhere')
    .replace(/"id": "evt_\w+"/, '"id": "evt_elsewhere"')
    .replace('checkout.session.completed', 'checkout.session.expired');
  expect(await receive(signed(theirs, stripeKeys.TEST.webhookSecret))).toBe('accepted');
  expect((await test.cardPayment(offerId)).checkout.session).toMatchObject({ generation: 1, expired: false });
  expect(await followPaymentLink(test.billing, payToken, stripeDeadline())).toMatchObject({
    kind: 'session',
  });
  expect(test.sessionsOf(offerId)).toEqual([sessionId]);
});

it('an expired session makes room for the next generation, and late news of it does not harm that', async () => {
  const { offerId, payToken, sessionId } = await test.openOffer();
  test.clock.advance(24 * 3_600_000);
  test.expireDueSessions();
  await eventually(async () => expect((await test.cardPayment(offerId)).checkout.session.expired).toBe(true));
  await followPaymentLink(test.billing, payToken, stripeDeadline());
  const expiry = test.webhooks.sent.find(({ body }) => body.includes(sessionId));
  const again = expiry?.body.toString().replace(/"id": "evt_\w+"/, '"id": "evt_again"') ?? '';
  expect(await receive(signed(again, stripeKeys.TEST.webhookSecret))).toBe('accepted');
  expect((await test.cardPayment(offerId)).checkout).toMatchObject({
    state: 'open',
    session: { generation: 2, expired: false },
  });
});
