/** Payments, credits and the ledger. */
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { query } from '../../harness/sql.ts';
import { type Drills, elsewhere, type Step } from '../drill.ts';
import { refund } from '../faults/traffic.ts';
import { runLine } from '../runbooks/runbook-line.ts';
import type { DrillSystem } from '../system.ts';

const rolledSecret = 'whsec_rolled_at_the_card_provider_and_nowhere_else';

const decided: readonly Step[] = [
  'admin card problems --limit 20',
  elsewhere('a person has decided: admin card settle', settleAll),
];

export const money: Drills = {
  /** A payment is refunded at the card provider, and nobody has decided who bears it. */
  CardPaymentsWaiting: {
    cause: async (system) => {
      const { sessionId } = await system.trade.payByCard('Given back');
      await refund(system, sessionId);
    },
    mend: decided,
  },
  /** An offer is deleted and credited, and then its payment is also refunded at the card provider. */
  CreditsOwed: {
    cause: async (system) => {
      const { offerId, sessionId } = await system.trade.payByCard('Deleted and given back');
      await eventually(() => system.trade.delete(offerId));
      await eventually(() => requireCredit(system, offerId));
      await refund(system, sessionId);
    },
    mend: decided,
  },
  /** The secret of the endpoint was replaced at the card provider, but not in billing. */
  WebhookFailures: {
    severity: 'page',
    // Billing asks about a payment after five minutes at the soonest, so the range must cover them.
    faster: { ranges: 3 },
    firesWithinS: 1_200,
    cause: async (system) => {
      await system.restartWith('stripe-simulator', { STRIPE_TEST_WEBHOOK_SECRET: rolledSecret });
      for (const title of ['First', 'Second', 'Third']) await system.trade.payByCard(title);
    },
    mend: [
      elsewhere('the new secret of the endpoint is in the store of secrets', async ({ setEnv }) =>
        setEnv('billing', { STRIPE_TEST_WEBHOOK_SECRET: rolledSecret }),
      ),
      'restart billing',
      elsewhere('somebody pays by card', ({ trade }) => trade.payByCard('After the repair')),
    ],
  },
  /** A balance is a penny higher than the sum of its entries; then the same check as every night. */
  LedgerUnsound: {
    cause: async (system) => {
      await changeBalance(system, '+ 1');
      await system.callAdmin('BILLING', 'GET', '/admin/ledger/check');
    },
    mend: [
      'admin ledger check',
      'admin balance statement --org 1 --mode test --limit 3',
      elsewhere('the row is again what the backup says', (system) => changeBalance(system, '- 1')),
      'admin ledger check',
    ],
  },
  /** The record of the last check is made three hours older, which counts as four days with accelerated rules. */
  LedgerCheckMissing: {
    cause: ({ stores }) =>
      query(
        stores.databases.billing,
        "UPDATE ledger_checks SET checked_at = checked_at - interval '3 hours'",
      ),
    mend: ['admin ledger check'],
  },
  /**
   * Webhooks of the card provider are lost, among them one about a refund. Every ten minutes billing reads the provider's list of
   * events that are at least ten minutes old.
   */
  StripeEventsMissed: {
    // The list is read every ten minutes, also with accelerated rules.
    faster: { ages: 1 },
    firesWithinS: 1_500,
    cause: async (system) => {
      const { sessionId } = await system.trade.payByCard('Given back unheard');
      await system.simulate('stripe', { lose: true });
      await refund(system, sessionId);
      await system.simulate('stripe', {});
    },
    mend: [
      elsewhere('the endpoint takes every event again', async () => {}),
      'admin card problems --limit 3',
    ],
  },
};

async function settleAll(system: DrillSystem): Promise<void> {
  type Reversal = { id: string; taken: boolean; returned: boolean; settlement: object | null };
  const { reversals } = await system.admin<{ reversals: readonly Reversal[] }>('card', 'problems');
  for (const { id, taken, returned, settlement } of reversals)
    if (taken && !returned && settlement === null)
      await runLine(system, `admin card settle ${id} --by platform --reason drill`);
}

async function requireCredit(system: DrillSystem, offerId: number): Promise<void> {
  type Statement = { entries: readonly { kind: string; offerId: number | null }[] };
  const of = [`--org=${system.organisation.id}`, '--mode=test', '--limit=10'];
  const { entries } = await system.admin<Statement>('balance', 'statement', ...of);
  if (!entries.some((entry) => entry.kind === 'unused-time-credit' && entry.offerId === offerId))
    throw new Error(`offer ${offerId} is not credited yet`);
}

/** Only the owner can do this: the triggers are off in this session. */
function changeBalance({ stores }: DrillSystem, change: string): Promise<unknown> {
  return query(
    stores.databases.billing,
    `BEGIN; SET LOCAL session_replication_role = replica;
     UPDATE balances SET balance_minor = balance_minor ${change}
      WHERE account_id = (SELECT min(account_id) FROM balances); COMMIT`,
  );
}
