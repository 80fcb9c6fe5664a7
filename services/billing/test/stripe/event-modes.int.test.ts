/** What the holder of one mode's webhook secret can do to the money of the other mode: nothing. */
import { describe, expect, it } from '@jest/globals';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { stripeKeys, useBilling, type Webhook } from '../billing-under-test.ts';
import { watched } from '../watched-billing.ts';

const test = useBilling();

const otherThan = (mode: Mode): Mode => (mode === 'TEST' ? 'LIVE' : 'TEST');
const bookIn = (mode: Mode) => test.newBook({ mode });

/** All that billing knows: a digest of each table. */
async function everything() {
  const tables = await test.billing.postgres.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const digests = tables.map(
    ({ name }) => `(SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${name} t) AS ${name}`,
  );
  const [row] = await test.billing.postgres.query(`SELECT ${digests.join()}`);
  return row;
}

let lastEvent = 0;
type Said = { readonly type: string; readonly object: object; readonly says: Mode };
/** An event that says it is of one mode, signed with the secret of either. */
function event({ type, object, says }: Said, signer: Mode): Webhook {
  const body = {
    id: `evt_of_modes_${++lastEvent}`,
    object: 'event',
    type,
    livemode: says === 'LIVE',
    created: Math.floor(test.clock.now().getTime() / 1_000),
    data: { object },
  };
  return test.signed(JSON.stringify(body), stripeKeys[signer].webhookSecret);
}

async function expectRefused(webhook: Webhook): Promise<void> {
  const { billing, log, metrics } = watched(test.billing);
  const before = await everything();
  expect(await test.receive(webhook, billing)).toBe('refused');
  expect(await everything()).toEqual(before);
  expect(log).toMatchObject([{ level: 'error', msg: 'webhook refused', reason: 'wrong-mode' }]);
  const counted = await metrics.registry.getSingleMetric('stripe_webhooks_total')?.get();
  expect(counted?.values.filter(({ value }) => value > 0)).toMatchObject([
    { labels: { outcome: 'wrong-mode' } },
  ]);
}

type Purchase = { readonly sessionId: string; readonly book: { readonly organisationId: number } } & (
  | { readonly offerId: number }
  | { readonly topUpId: number }
);
/** The paid session of an offer or a top-up, as an event shows it. */
const sessionOf = (purchase: Purchase, says: Mode, facts: object = {}) => ({
  id: purchase.sessionId,
  object: 'checkout.session',
  livemode: says === 'LIVE',
  status: 'complete',
  payment_status: 'paid',
  amount_total: 'topUpId' in purchase ? 120_00 : 12_00,
  currency: 'gbp',
  payment_intent: `pi_of_${purchase.sessionId}`,
  metadata: {
    ...('topUpId' in purchase ? { top_up_id: `${purchase.topUpId}` } : { offer_id: `${purchase.offerId}` }),
    organisation_id: `${purchase.book.organisationId}`,
    generation: '1',
  },
  ...facts,
});
const refundOf = (paymentIntent: string | null, facts: object = {}) => ({
  id: 're_of_modes',
  object: 'refund',
  amount: 500,
  currency: 'gbp',
  status: 'succeeded',
  reason: null,
  payment_intent: paymentIntent,
  ...facts,
});
const disputeOf = (paymentIntent: string, says: Mode) => ({
  ...refundOf(paymentIntent, { id: 'du_of_modes', object: 'dispute', status: 'lost', reason: 'fraudulent' }),
  livemode: says === 'LIVE',
  balance_transactions: [{ amount: -500 }],
});
const intentOf = async ({ offerId }: { readonly offerId: number }) =>
  (await test.cardPayment(offerId)).paymentIntentId ?? '';

describe.each(['TEST', 'LIVE'] as const)('with the %s secret', (signer) => {
  const victim = otherThan(signer);
  const sessionEvents = ['completed', 'async_payment_succeeded', 'expired', 'async_payment_failed'].map(
    (name) => `checkout.session.${name}`,
  );
  const refundEvents = ['created', 'updated', 'failed'].map((name) => `refund.${name}`);
  const disputeEvents = ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'].map(
    (name) => `charge.dispute.${name}`,
  );

  it.each(sessionEvents)('%s changes no offer and no top-up of the other mode', async (type) => {
    const offer = await test.openOffer({ book: bookIn(victim) });
    const topUp = await test.openTopUp({ book: bookIn(victim) });
    for (const purchase of [offer, topUp]) {
      // The session says its mode, or lies too: then its offer or top-up shows the mode.
      for (const sessionSays of [victim, signer])
        await expectRefused(event({ type, says: signer, object: sessionOf(purchase, sessionSays) }, signer));
      await expectRefused(event({ type, says: victim, object: sessionOf(purchase, victim) }, signer));
    }
  });

  it.each([...refundEvents, ...disputeEvents])('%s changes no payment of the other mode', async (type) => {
    const offer = await test.paidOffer({ book: bookIn(victim) });
    const intent = await intentOf(offer);
    const object = type.startsWith('refund') ? refundOf(intent) : disputeOf(intent, signer);
    await expectRefused(event({ type, says: signer, object }, signer));
    await expectRefused(event({ type, says: victim, object }, signer));
    if (type.startsWith('charge'))
      await expectRefused(event({ type, says: signer, object: disputeOf(intent, victim) }, signer));
  });

  it('a refund of the other mode cannot be said to have failed', async () => {
    const offer = await test.paidOffer({ book: bookIn(victim) });
    const id = await test.takeBack(offer, 'refund', 500);
    const unrelated = await intentOf(await test.paidOffer({ book: bookIn(signer) }));
    for (const intent of [null, unrelated, 'pi_of_nobody']) {
      const failed = refundOf(intent, { id, status: 'failed' });
      await expectRefused(event({ type: 'refund.failed', says: signer, object: failed }, signer));
    }
  });

  it('a payment that names the intent of the other mode takes nothing from it', async () => {
    const theirs = await test.paidOffer({ book: bookIn(victim) });
    const intent = await intentOf(theirs);
    const ours = await test.openOffer({ book: bookIn(signer) });
    const object = sessionOf(ours, signer, { payment_intent: intent });
    const completed = event({ type: 'checkout.session.completed', says: signer, object }, signer);
    expect(await test.receive(completed)).toBe('accepted');
    const id = await test.takeBack(theirs, 'refund', 1000);
    expect(await test.findReversal(id)).toMatchObject({ offerId: theirs.offerId, mode: victim });
    // It would not fit beside the other one, which is of another payment.
    const own = refundOf(intent, { id: `re_of_${ours.offerId}` });
    const refunded = event({ type: 'refund.created', says: signer, object: own }, signer);
    expect(await test.receive(refunded)).toBe('accepted');
    const notes = await test.billing.postgres.query(
      'SELECT mode, cause FROM credit_notes WHERE organisation_id = ANY ($1) ORDER BY sequence, mode = $2',
      [[theirs.book.organisationId, ours.book.organisationId], signer],
    );
    expect(notes).toHaveLength(2);
    expect(notes).toContainEqual({ mode: victim, cause: `refund ${id} taken` });
    expect(notes).toContainEqual({ mode: signer, cause: `refund ${own.id} taken` });
  });

  it('an event of any other kind is refused when its object is of the other mode', async () => {
    const object = { object: 'charge', livemode: victim === 'LIVE' };
    await expectRefused(event({ type: 'charge.updated', says: signer, object }, signer));
  });
});

it('an event that is refused for its mode fails alone: others that came at once are applied', async () => {
  const live = await test.openOffer({ book: bookIn('LIVE') });
  const offers = [await test.openOffer(), await test.openOffer()];
  const completed = (purchase: Purchase) =>
    event({ type: 'checkout.session.completed', says: 'TEST', object: sessionOf(purchase, 'TEST') }, 'TEST');
  const webhooks = [...offers, live, ...offers].map(completed);
  const answers = await Promise.all(webhooks.map((webhook) => test.receive(webhook)));
  expect(answers).toEqual(['accepted', 'accepted', 'refused', 'accepted', 'accepted']);
  for (const offer of offers) expect((await test.checkout(offer)).state).toBe('paid');
  expect((await test.checkout(live)).state).toBe('open');
});
