import { describe, expect, it } from '@jest/globals';
import { BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { latestProblems, recordUnapplied } from '../../src/webhooks/provider-events-store.ts';
import { useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';
import { watched } from '../watched-billing.ts';

const test = useBilling();

const paidEvents = (offerId: number) => test.emitted(OfferPaid, { offerId });

/** An offer, and the webhook of its payment, which billing has not received. */
async function unheardPayment(facts: Parameters<typeof test.openOffer>[0] = {}) {
  const offer = await test.openOffer(facts);
  return { ...offer, webhook: await test.payUnheard(offer.sessionId) };
}

type Change = readonly [from: RegExp | string, to: string];
/** The text of a webhook with changes, each of which must change something. */
function changed({ body }: Webhook, ...changes: readonly Change[]): string {
  return changes.reduce((text, [from, to]) => {
    expect(text.replace(from, to)).not.toBe(text);
    return text.replace(from, to);
  }, body.toString());
}
const eventId = (id: string): Change => [/"id": "evt_\w+"/, `"id": "${id}"`];
const type = (name: string): Change => ['checkout.session.completed', `checkout.session.${name}`];
const unpaid: Change = ['"payment_status": "paid"', '"payment_status": "unpaid"'];
/** Receives a webhook with changes, signed as Stripe signs it. */
const receiveChanged = (webhook: Webhook, ...changes: readonly Change[]) =>
  test.receive(test.signed(changed(webhook, ...changes)));

async function entriesOf(offerId: number): Promise<[string, bigint][]> {
  const rows = await test.billing.postgres.query<{ kind: string; amount_minor: bigint }>(
    `SELECT accounts.kind, amount_minor FROM entries JOIN accounts USING (account_id) JOIN transactions USING (transaction_id)
      WHERE offer_id = $1 ORDER BY entries.transaction_id, accounts.kind`,
    [offerId],
  );
  return rows.map((row) => [row.kind, row.amount_minor]);
}

/** As `receive`, with what was logged and counted. */
async function receiveWatched(webhook: Webhook) {
  const { billing, log, metrics } = watched(test.billing);
  const answer = await test.receive(webhook, billing);
  const logged = log.map(({ time: _time, service: _service, ...said }) => said);
  return { answer, logged, metrics };
}

describe('a payment', () => {
  it.each(['TEST', 'LIVE'] as const)(
    'in %s mode is posted with its VAT, and an event reports it to offers',
    async (mode) => {
      const { offerId, book } = await test.paidOffer({ book: test.newBook({ mode }) });
      const amounts = { netMinor: '1000', vatMinor: '200' };
      const paid = [{ offerId, ...book, ...amounts, paidAt: test.clock.now().toISOString() }];
      expect(await paidEvents(offerId)).toEqual(paid);
      expect(await entriesOf(offerId)).toEqual([
        ['card-clearing', -1200n],
        ['sales', 1000n],
        ['vat-payable', 200n],
      ]);
      expect(await test.balance(book)).toBe(0n);
    },
  );

  it('is applied by an event that could not be applied before', async () => {
    const { offerId, webhook } = await unheardPayment();
    const { id, type } = JSON.parse(webhook.body.toString()) as { id: string; type: string };
    const event = { eventId: id, mode: 'TEST' as const, type };
    expect(await recordUnapplied(test.billing.postgres, event, test.clock.now())).toBe(true);
    await test.receive(webhook);
    expect(await entriesOf(offerId)).toHaveLength(3);
    expect(await paidEvents(offerId)).toHaveLength(1);
  });

  it('counts even when its webhook is faster than the answer with the session’s id', async () => {
    const { webhook, ...offer } = await unheardPayment();
    const { postgres } = test.billing;
    const of = [offer.offerId];
    await postgres.query(`UPDATE payments SET state = 'opening' WHERE offer_id = $1`, of);
    await postgres.query('UPDATE payments SET session_id = NULL, session_url = NULL WHERE offer_id = $1', of);
    await test.receive(webhook);
    const { sessionId } = offer;
    expect(await test.checkout(offer)).toMatchObject({ state: 'paid', session: { sessionId } });
  });

  it('reported by two different events is one payment, and both are accepted', async () => {
    const { offerId, webhook } = await unheardPayment();
    const second = test.signed(changed(webhook, eventId('evt_second'), type('async_payment_succeeded')));
    const both = await Promise.all([test.receive(webhook), test.receive(second)]);
    expect(both).toEqual(['accepted', 'accepted']);
    expect([(await paidEvents(offerId)).length, (await entriesOf(offerId)).length]).toEqual([1, 3]);
  });

  it('of a closed checkout is recorded, reported to offers and credited in full', async () => {
    const { offerId, book, webhook } = await unheardPayment();
    // As if Stripe had first expired the session and then taken the money all the same.
    await test.billing.postgres.query(`UPDATE payments SET state = 'closed' WHERE offer_id = $1`, [offerId]);
    expect(await test.receive(webhook)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
    const amounts = { amountMinor: '1000', balanceMinor: '1000' };
    const credited = [{ ...book, offerId, title: 'Two for one', ...amounts }];
    expect(await test.emitted(BalanceCredited, { offerId })).toEqual(credited);
  });

  it('is accepted under the secret that is being replaced and under the new one', async () => {
    const { TEST, LIVE } = test.billing.stripe;
    const replacing = { ...TEST, webhookSecret: `whsec_the-next-one,${TEST.webhookSecret}` };
    const billing = { ...test.billing, stripe: { LIVE, TEST: replacing } };
    for (const secret of [TEST.webhookSecret, 'whsec_the-next-one']) {
      const { offerId, webhook } = await unheardPayment();
      const resigned = test.signed(webhook.body.toString(), secret);
      expect(await test.receive(resigned, billing)).toBe('accepted');
      expect(await paidEvents(offerId)).toHaveLength(1);
    }
    expect(await test.receive(test.signed('{}', 'whsec_neither-of-them'), billing)).toBe('refused');
  });

  it('counts three days late, from a session that has expired long ago', async () => {
    const { offerId, webhook } = await unheardPayment();
    test.clock.advance(3 * DAY_MS);
    expect(await receiveChanged(webhook)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });
});

it('webhooks in 1 to 20 copies each, shuffled and at once, are one posting each', async () => {
  const payments = await inTens(runs(25, 1_000), () => unheardPayment());
  const copies = payments.flatMap(({ webhook }, index) => Array(1 + (index % 20)).fill(webhook) as Webhook[]);
  const shuffled = copies
    .map((webhook) => ({ webhook, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .values();
  // As many at a time as Stripe sends. What a busy machine refused is sent again.
  const deliver = async () => {
    for (const { webhook } of shuffled)
      await eventually(async () => expect(await test.receive(webhook)).toBe('accepted'));
  };
  await Promise.all(Array.from({ length: 16 }, deliver));
  for (const { offerId } of payments) {
    expect([(await paidEvents(offerId)).length, (await entriesOf(offerId)).length]).toEqual([1, 3]);
  }
}, 300_000);

describe('a slow payment method', () => {
  it('has paid when the money has come, not when the page was completed', async () => {
    const { offerId, sessionId, webhook } = await unheardPayment();
    const { answer, logged, metrics } = await receiveWatched(test.signed(changed(webhook, unpaid)));
    expect([answer, logged]).toEqual(['accepted', []]);
    expect(await countOf(metrics, 'card_payments_total')).toEqual([]);
    const stored = 'SELECT outcome FROM provider_events WHERE session_id = $1';
    expect(await test.billing.postgres.query(stored, [sessionId])).toEqual([{ outcome: 'not-paid-yet' }]);
    expect(await paidEvents(offerId)).toEqual([]);
    const later = [eventId(`evt_paid_${offerId}`), type('async_payment_succeeded')] as const;
    expect(await receiveChanged(webhook, ...later)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });

  it('that fails leaves a link that opens the next session', async () => {
    const { webhook, ...offer } = await unheardPayment();
    await receiveChanged(webhook, unpaid);
    const failed = [eventId(`evt_failed_${offer.offerId}`), type('async_payment_failed')] as const;
    await receiveChanged(webhook, unpaid, ...failed);
    expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
    expect((await test.checkout(offer)).session.generation).toBe(2);
    expect(await paidEvents(offer.offerId)).toEqual([]);
  });

  it('has paid even if the webhooks come in the wrong order: expired, then paid', async () => {
    const { offerId, webhook } = await unheardPayment();
    await receiveChanged(webhook, unpaid, eventId(`evt_expired_${offerId}`), type('expired'));
    expect(await test.receive(webhook)).toBe('accepted');
    expect(await paidEvents(offerId)).toHaveLength(1);
  });
});

it('a webhook is answered after the commit: when the database refuses it nothing is stored, and it is accepted again', async () => {
  const { webhook, ...offer } = await unheardPayment();
  const { postgres } = test.billing;
  await postgres.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`,
  );
  await postgres.query(
    `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  try {
    await expect(test.receive(webhook)).rejects.toThrow('disk full');
  } finally {
    await postgres.query('DROP TRIGGER refuse ON outbox');
  }
  expect(await entriesOf(offer.offerId)).toEqual([]);
  expect((await test.checkout(offer)).state).toBe('open');
  expect(await test.receive(webhook)).toBe('accepted');
  expect(await entriesOf(offer.offerId)).toHaveLength(3);
  expect(await paidEvents(offer.offerId)).toHaveLength(1);
});

async function countOf(metrics: Metrics, name: string) {
  const counts = (await metrics.registry.getSingleMetric(name)?.get())?.values;
  return counts?.filter(({ value }) => value > 0);
}

describe('a webhook is refused', () => {
  /** It changes nothing, and nothing of its content is in the log. */
  async function expectRefused(webhook: Webhook, offerId: number) {
    const { answer, logged, metrics } = await receiveWatched(webhook);
    expect(answer).toBe('refused');
    expect(logged).toMatchObject([{ level: 'warn', msg: 'webhook refused', reason: 'unsigned' }]);
    expect(JSON.stringify(logged)).not.toContain('@');
    const counted = [{ labels: { outcome: 'unsigned' }, value: 1 }];
    expect(await countOf(metrics, 'stripe_webhooks_total')).toEqual(counted);
    expect(await paidEvents(offerId)).toEqual([]);
    expect((await test.checkout({ offerId })).state).toBe('open');
  }

  it('with a forged signature, or none', async () => {
    const { offerId, webhook } = await unheardPayment();
    await expectRefused({ ...webhook, signature: '' }, offerId);
    await expectRefused(test.signed(webhook.body.toString(), 'whsec_forged'), offerId);
  });

  it.each(['t', '=', ',', 't=1', 't=1,v1', 't=1,v1=', 't=abc,v1=,,,=', 't=1,v1==00', 't=1,v1=\u00e9'])(
    'with a malformed signature: %s',
    async (signature) => {
      expect(await test.receive({ body: Buffer.from('{}'), signature })).toBe('refused');
    },
  );

  it('with a body that was altered after signing', async () => {
    const { offerId, webhook } = await unheardPayment();
    const altered = changed(webhook, ['"amount_total": 1200', '"amount_total": 1201']);
    await expectRefused({ ...webhook, body: Buffer.from(altered) }, offerId);
  });

  it('when it was signed 301 seconds ago; 300 are accepted', async () => {
    const { offerId, webhook } = await unheardPayment();
    test.clock.advance(301_000);
    await expectRefused(webhook, offerId);
    test.clock.advance(-1_000);
    expect(await test.receive(webhook)).toBe('accepted');
  });
});

describe('stored for a person and never applied', () => {
  it('is a payment of another amount', async () => {
    const { webhook, sessionId, ...offer } = await unheardPayment();
    const change: Change = ['"amount_total": 1200', '"amount_total": 1199'];
    const problem = 'wrong-amount';
    const { answer, logged, metrics } = await receiveWatched(test.signed(changed(webhook, change)));
    expect(answer).toBe('accepted');
    const msg = 'a card payment cannot be applied and waits for a person';
    expect(logged).toMatchObject([{ level: 'error', msg, problem }]);
    const counted = [{ labels: { outcome: problem }, value: 1 }];
    expect(await countOf(metrics, 'card_payments_total')).toEqual(counted);
    expect(await paidEvents(offer.offerId)).toEqual([]);
    expect(await test.checkout(offer)).toMatchObject({ state: 'open', paidAt: null });
    const listed = await latestProblems(test.billing.postgres, 500);
    expect(listed.filter((line) => line.sessionId === sessionId)).toMatchObject([{ problem }]);
  });

  it('is a payment of an earlier generation whose session is not on record', async () => {
    const offer = await test.openOffer();
    test.clock.advance(DAY_MS);
    await test.follow(offer);
    const webhook = await test.payUnheard(test.sessionsOf(offer.offerId)[1] ?? '');
    const earlier = changed(webhook, ['"generation": "2"', '"generation": "1"']);
    const { logged } = await receiveWatched(test.signed(earlier));
    expect(logged).toMatchObject([{ level: 'error', problem: 'unknown-session' }]);
    expect(await paidEvents(offer.offerId)).toEqual([]);
  });
});

it('a payment of an earlier session that is on record pays the offer', async () => {
  const offer = await test.openOffer();
  test.clock.advance(DAY_MS);
  await test.follow(offer);
  const [first = '', second = ''] = test.sessionsOf(offer.offerId);
  const webhook = await test.payUnheard(second);
  const earlier = changed(webhook, ['"generation": "2"', '"generation": "1"'], [`"${second}"`, `"${first}"`]);
  const { answer, logged } = await receiveWatched(test.signed(earlier));
  expect([answer, logged]).toEqual(['accepted', []]);
  expect(await paidEvents(offer.offerId)).toHaveLength(1);
  expect(await test.checkout(offer)).toMatchObject({ state: 'paid' });
});

/** An event of TEST mode, signed. */
const signedEvent = (type: string, object: object, facts: object = {}) => {
  const created = Math.floor(test.clock.now().getTime() / 1_000);
  const event = {
    id: 'evt_unreadable',
    object: 'event',
    type,
    created,
    livemode: false,
    data: { object },
    ...facts,
  };
  return test.signed(JSON.stringify(event));
};

it('an event about something else is accepted and changes nothing', async () => {
  const { answer, logged } = await receiveWatched(signedEvent('charge.updated', {}, { id: 'evt_other' }));
  expect([answer, logged]).toEqual(['accepted', []]);
});

describe('an event that is signed but cannot be read is kept for a person, alerted once and accepted:', () => {
  const session = {
    id: 'cs_test_unreadable',
    livemode: false,
    payment_status: 'paid',
    payment_intent: null,
    amount_total: 1200,
    currency: 'gbp',
    metadata: { offer_id: '1', organisation_id: '1', generation: '1' },
  };
  const completed = (facts: object) => () =>
    signedEvent('checkout.session.completed', { ...session, ...facts });
  const money = { amount: 500, currency: 'gbp', payment_intent: 'pi_unreadable' };
  const refund = { ...money, id: 're_unreadable', status: 'succeeded', reason: null };
  const dispute = { ...money, id: 'du_unreadable', livemode: false, status: 'lost', reason: 'fraudulent' };
  const thin = { object: 'v2.core.event', created: '2026-09-17T06:20:52.246Z', data: undefined };

  it.each<readonly [string, () => Webhook]>([
    ['a thin event of API v2', () => signedEvent('v2.core.account.updated', {}, thin)],
    ['a session without its amount', completed({ amount_total: undefined })],
    ['a session of a negative amount', completed({ amount_total: -1 })],
    ['a session of half a penny', completed({ amount_total: 0.5 })],
    ['a session of more than a whole number holds', completed({ amount_total: 1e30 })],
    ['a session without its mode', completed({ livemode: undefined })],
    ['a dispute without its transactions', () => signedEvent('charge.dispute.closed', dispute)],
    ['a refund whose amount is a text', () => signedEvent('refund.created', { ...refund, amount: '500' })],
    ['a refund without a currency', () => signedEvent('refund.created', { ...refund, currency: undefined })],
    ['an event without a time', () => signedEvent('refund.created', refund, { created: undefined })],
    ['an event without an object', () => signedEvent('refund.created', refund, { data: {} })],
    ['an event without an id', () => signedEvent('refund.created', refund, { id: undefined })],
    ['an event with an endless id', () => signedEvent('refund.created', refund, { id: 'e'.repeat(9_000) })],
    ...['no JSON', '', 'null', '[]', '7'].map((text) => [`"${text}"`, () => test.signed(text)] as const),
  ])('%s', async (_what, webhook) => {
    const { postgres } = test.billing;
    await postgres.query(`DELETE FROM provider_events WHERE outcome = 'not-applied'`);
    const { billing, log, metrics } = watched(test.billing);
    for (const _time of [1, 2]) expect(await test.receive(webhook(), billing)).toBe('accepted');
    const msg = 'an event of the card provider cannot be applied';
    expect(log).toMatchObject([{ level: 'error', msg, mode: 'TEST' }]);
    const stored = `SELECT mode FROM provider_events WHERE outcome = 'not-applied'`;
    expect(await postgres.query(stored)).toEqual([{ mode: 'TEST' }]);
    const unread = [{ labels: { outcome: 'unreadable' }, value: 2 }];
    expect(await countOf(metrics, 'stripe_webhooks_total')).toEqual(unread);
    const kept = [{ labels: { mode: 'TEST' }, value: 1 }];
    expect(await countOf(metrics, 'stripe_unapplied_events_total')).toEqual(kept);
  });
});

it('the end of a session of another system, made for the same number in the same account, ends none of ours', async () => {
  const { webhook, ...offer } = await unheardPayment();
  const ofSession: Change = [new RegExp(offer.sessionId, 'g'), 'cs_test_elsewhere'];
  expect(await receiveChanged(webhook, ofSession, eventId('evt_elsewhere'), type('expired'))).toBe(
    'accepted',
  );
  expect((await test.checkout(offer)).session).toMatchObject({ generation: 1, expired: false });
  expect(await test.follow(offer)).toMatchObject({ kind: 'session' });
  expect(test.sessionsOf(offer.offerId)).toEqual([offer.sessionId]);
});

it('a second webhook of an expired session does not harm the next generation', async () => {
  const offer = await test.openOffer();
  test.clock.advance(DAY_MS);
  test.expireDueSessions();
  await eventually(async () => expect((await test.checkout(offer)).session.expired).toBe(true));
  await test.follow(offer);
  const expired = await test.sentWebhook(offer.sessionId);
  expect(await receiveChanged(expired, eventId('evt_again'))).toBe('accepted');
  const next = { state: 'open', session: { generation: 2, expired: false } };
  expect(await test.checkout(offer)).toMatchObject(next);
});
