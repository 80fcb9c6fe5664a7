import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CardSettled,
  cardProblemsReply,
  ledgerCheckReply,
  settleReply,
} from '@offer-ads/contracts/admin/billing-api';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { creditUnusedTime, whollyUnused } from '../../src/balance/credit-offer.ts';
import { changeLowBalance } from '../../src/balance/low-balance.ts';
import { lockOfferPayment } from '../../src/checkouts/payments-store.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import type { Bearer } from '../../src/domain/payments/settlement.ts';
import { adminRoutes } from '../../src/http/admin-routes.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { latestReversals } from '../../src/reversals/reversals-store.ts';
import { watchReversals } from '../../src/reversals/watch-reversals.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { type BillingUnderTest, serveRoutes, startBillingUnderTest } from '../billing-under-test.ts';

const started = new AsyncDisposableStack();
let test: BillingUnderTest;
let url: string;
beforeAll(async () => {
  test = await startBillingUnderTest();
  const server = started.use(
    await serveRoutes(test, (app) => adminRoutes(app, test.billing, adminTokenHashes)),
  );
  url = server.url;
});
afterAll(async () => {
  await started.disposeAsync();
  await test.finish();
});

const json = (answer: Response): Promise<unknown> => answer.json();

async function admin(path: string, sent?: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/admin/${path}`, {
    method: sent === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      'x-admin-actor': 'ann',
    },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  return { status: answer.status, body: await json(answer) };
}
const settle = (id: string, borneBy: Bearer, reason = 'agreed by telephone') =>
  admin('card-problems/settle', { id, borneBy, reason });
const settled = async (id: string, borneBy: Bearer): Promise<CardSettled> => {
  const { status, body } = await settle(id, borneBy);
  expect({ status, body }).toMatchObject({ status: 200 });
  return settleReply.parse(body);
};

/** What the accounts of a book have come to, those at zero left out. */
async function accounts({ organisationId, mode }: Book): Promise<Record<string, bigint>> {
  const rows = await test.billing.postgres.query<{ kind: string; total: bigint }>(
    `SELECT kind, sum(amount_minor)::bigint AS total FROM accounts JOIN entries USING (account_id)
      WHERE organisation_id = $1 AND mode = $2 GROUP BY kind HAVING sum(amount_minor) <> 0`,
    [organisationId, mode],
  );
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

const recordOf = async (id: string) =>
  (await latestReversals(test.billing.postgres, 500)).find(({ reversal }) => reversal.reversalId === id)
    ?.reversal;

/** An offer for 12.00 that was paid, and its payment taken back. */
async function takenBack(how: 'refund' | 'dispute' = 'refund') {
  const offer = await test.openOffer();
  await test.pay(offer.sessionId);
  const id = await test.reverse(`sessions/${offer.sessionId}/${how}`);
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ takenPosted: true }));
  return { ...offer, id };
}

const lines = async (book: Book) =>
  (await readStatement(test.billing.postgres, book, { limit: 200 })).entries.map(
    ({ kind, amountMinor, balanceMinor }) => [kind, amountMinor, balanceMinor],
  );
const sold = { sales: 1000n, 'vat-payable': 200n };

/** As the replicas tell it. */
async function waiting(kind: 'refund' | 'dispute'): Promise<number> {
  return told('card_reversals_waiting', { kind, mode: 'TEST' });
}
const owed = (currency: string) => told('credits_owed_minor_units', { currency, mode: 'TEST' });

async function told(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const metrics = createMetrics('billing');
  await using watch = watchReversals({ postgres: test.billing.postgres, logger: silentLogger, metrics });
  await watch.runNow();
  const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
  const found = values.find((one) =>
    Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found?.value ?? Number.NaN;
}

it('refunds and disputes wait for a person until one has decided, or the provider has returned the money', async () => {
  const before = { refund: await waiting('refund'), dispute: await waiting('dispute') };
  const refund = await takenBack();
  const dispute = await takenBack('dispute');
  expect(await waiting('refund')).toBe(before.refund + 1);
  expect(await waiting('dispute')).toBe(before.dispute + 1);
  await settled(refund.id, 'platform');
  expect(await waiting('refund')).toBe(before.refund);
  await test.reverse(`disputes/${dispute.id}/close`, { outcome: 'won' });
  await eventually(async () => expect(await waiting('dispute')).toBe(before.dispute));
});

it('a credit whose payment was taken back since is told as owed and listed with its offer, until somebody has decided', async () => {
  const { postgres } = test.billing;
  const offer = await test.openOffer({ netMinor: 30_00n });
  await test.pay(offer.sessionId);
  await eventually(async () => expect((await test.cardPayment(offer.offerId)).checkout.state).toBe('paid'));
  await postgres.transaction(async (tx) => {
    const payment = await lockOfferPayment(tx, offer.offerId);
    if (payment !== undefined) await creditUnusedTime(tx, payment, whollyUnused, test.clock.now());
  });
  const before = await owed('GBP');
  const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ takenPosted: true }));
  expect(await owed('GBP')).toBe(before + 30_00);
  const listed = async () => cardProblemsReply.parse((await admin('card-problems')).body).owed;
  const { organisationId, mode, currency } = offer.book;
  const line = { organisationId, offerId: offer.offerId, mode, currency };
  expect(await listed()).toContainEqual({ ...line, creditedMinor: '3000', owedMinor: '3000' });
  await settled(id, 'platform');
  expect(await owed('GBP')).toBe(before);
  expect((await listed()).map(({ offerId }) => offerId)).not.toContain(offer.offerId);
});

describe('a refund is settled', () => {
  it('as borne by the platform: nothing is left open, the balance stays, and the statement says so', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 5_00n);
    expect(await settled(id, 'platform')).toEqual({
      id,
      kind: 'refund',
      mode: 'TEST',
      currency: 'GBP',
      amountMinor: '1200',
      borneBy: 'platform',
      reason: 'agreed by telephone',
      decidedBy: 'ann',
      settledAt: test.clock.now().toISOString(),
      givenBack: false,
    });
    expect(await accounts(book)).toEqual({
      ...sold,
      'card-losses': -1200n,
      'prepaid-balance': 500n,
      'top-up-source': -500n,
    });
    expect((await lines(book))[0]).toEqual(['card-settlement', '0', '500']);
  });

  it('as taken from the balance, which is then told to be low', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 20_00n);
    await changeLowBalance(test.billing.postgres, book, 10_00n);
    await settled(id, 'balance');
    expect(await balanceOf(test.billing.postgres, book)).toBe(8_00n);
    expect(await accounts(book)).toEqual({ ...sold, 'prepaid-balance': 800n, 'top-up-source': -2000n });
    expect((await lines(book))[0]).toEqual(['card-settlement', '-1200', '800']);
    expect(await test.emitted(BalanceLow)).toContainEqual({
      ...book,
      balanceMinor: '800',
      thresholdMinor: '1000',
    });
  });

  it('never by an overdraft: the refusal names the balance, and nothing has changed', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 11_99n);
    expect(await settle(id, 'balance')).toEqual({
      status: 409,
      body: {
        message:
          'The balance has 11.99 of 12.00 GBP: settle it when the balance bears it, or let the platform bear it',
      },
    });
    expect(await accounts(book)).toMatchObject({ 'card-reversals': -1200n, 'prepaid-balance': 1199n });
    await test.topUp(book, 1n);
    await settled(id, 'balance');
    expect(await balanceOf(test.billing.postgres, book)).toBe(0n);
  });

  it('once: the same again is the first decision, another is refused', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 50_00n);
    const answers = await Promise.all(Array.from({ length: 8 }, () => settled(id, 'balance')));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await balanceOf(test.billing.postgres, book)).toBe(38_00n);
    expect(await settle(id, 'platform')).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^It was settled by .+ on 2026-.*, borne by the balance$/) },
    });
    expect((await lines(book)).filter(([kind]) => kind === 'card-settlement')).toHaveLength(1);
  });

  it('and listed with who decided what, and why', async () => {
    const { id } = await takenBack();
    const listed = async () =>
      cardProblemsReply
        .parse((await admin('card-problems?limit=500')).body)
        .reversals.find((one) => one.id === id);
    expect(await listed()).toMatchObject({ settlement: null });
    await settled(id, 'platform');
    expect(await listed()).toMatchObject({
      settlement: { borneBy: 'platform', reason: 'agreed by telephone', decidedBy: 'ann' },
    });
  });
});

it('two at once from a balance that bears one: one is settled', async () => {
  const { book, id, sessionId } = await takenBack();
  const other = await test.reverse(`sessions/${sessionId}/refund`);
  await eventually(async () => expect(await recordOf(other)).toMatchObject({ takenPosted: true }));
  await test.topUp(book, 20_00n);
  const answers = await Promise.all([settle(id, 'balance'), settle(other, 'balance')]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(await balanceOf(test.billing.postgres, book)).toBe(8_00n);
});

describe('there is nothing to settle', () => {
  it('of what is not known', async () => {
    expect(await settle('re_unknown', 'platform')).toMatchObject({ status: 404 });
  });

  it('of an inquiry, which takes nothing', async () => {
    const offer = await test.openOffer();
    await test.pay(offer.sessionId);
    const id = await test.reverse(`sessions/${offer.sessionId}/dispute`, { inquiry: true });
    await eventually(async () => expect(await recordOf(id)).toBeDefined());
    expect(await settle(id, 'platform')).toMatchObject({ status: 409 });
  });

  it('of a refund that failed', async () => {
    const { id, book } = await takenBack();
    await test.reverse(`refunds/${id}/fail`);
    await eventually(async () => expect(await recordOf(id)).toMatchObject({ returnedPosted: true }));
    expect(await settle(id, 'platform')).toMatchObject({ status: 409 });
    expect(await accounts(book)).toEqual({ ...sold, 'card-clearing': -1200n });
  });

  it('of a refund whose payment nobody knows', async () => {
    test.webhooks.lost = true;
    const offer = await test.openOffer();
    await test.pay(offer.sessionId);
    await eventually(() =>
      expect(test.webhooks.sent.some(({ body }) => body.includes(offer.sessionId))).toBe(true),
    );
    test.webhooks.lost = false;
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    await eventually(async () => expect(await recordOf(id)).toBeDefined());
    expect(await settle(id, 'platform')).toMatchObject({ status: 409 });
  });

  it('without a reason, or by somebody else', async () => {
    const { id } = await takenBack();
    expect(await settle(id, 'platform', ' ')).toMatchObject({ status: 400 });
    expect(await settle(id, 'nobody' as Bearer)).toMatchObject({ status: 400 });
  });
});

describe('money that comes back after it was settled', () => {
  it.each(['platform', 'balance'] as const)('goes back to the %s that bore it, once', async (borneBy) => {
    const { book, id } = await takenBack('dispute');
    await test.topUp(book, 12_00n);
    await settled(id, borneBy);
    await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
    await eventually(async () => expect(await recordOf(id)).toMatchObject({ returnedPosted: true }));
    expect(await accounts(book)).toEqual({
      ...sold,
      'card-clearing': -1200n,
      'prepaid-balance': 1200n,
      'top-up-source': -1200n,
    });
    const kinds = (await lines(book)).map(([kind]) => kind);
    expect(kinds.filter((kind) => kind === 'card-settlement-returned')).toHaveLength(1);
    expect(await settled(id, borneBy)).toMatchObject({ givenBack: true });
  });

  it('while it is being settled, many times: nothing stays open, and nobody bears anything', async () => {
    for (let round = 0; round < runs(10, 300); round += 1) {
      const { book, id } = await takenBack('dispute');
      await test.topUp(book, 12_00n);
      const both = [
        () => settle(id, round % 4 < 2 ? 'balance' : 'platform'),
        () => test.reverse(`disputes/${id}/close`, { outcome: 'won' }),
      ];
      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((work) => work()));
      await eventually(async () => expect(await recordOf(id)).toMatchObject({ returnedPosted: true }));
      expect(await accounts(book)).toEqual({
        ...sold,
        'card-clearing': -1200n,
        'prepaid-balance': 1200n,
        'top-up-source': -1200n,
      });
    }
  }, 120_000);
});

it('a settlement is never changed or removed, and the ledger check finds one that the ledger tells differently', async () => {
  const { postgres } = test.billing;
  const { id } = await takenBack();
  await settled(id, 'platform');
  const change = `UPDATE card_settlements SET borne_by = 'balance' WHERE reversal_id = '${id}'`;
  await expect(postgres.query(change)).rejects.toThrow('a settlement is final');
  await expect(postgres.query('DELETE FROM card_settlements')).rejects.toThrow('append-only');
  expect(ledgerCheckReply.parse((await admin('ledger/check')).body).problems).toEqual([]);
  await postgres.transaction(async (tx) => {
    await tx.query('ALTER TABLE card_settlements DISABLE TRIGGER settlement_is_final');
    await tx.query(change);
    await tx.query('ALTER TABLE card_settlements ENABLE TRIGGER settlement_is_final');
  });
  const { problems } = await postgres.transaction((tx) => checkLedger(tx));
  expect(problems).toEqual([
    `settlement of ${id}: its record says 1200 borne by balance, the ledger 0 and 1200 off what was taken back`,
  ]);
  await postgres.transaction(async (tx) => {
    await tx.query('ALTER TABLE card_settlements DISABLE TRIGGER settlement_is_final');
    await tx.query(change.replace('balance', 'platform'));
    await tx.query('ALTER TABLE card_settlements ENABLE TRIGGER settlement_is_final');
  });
});
