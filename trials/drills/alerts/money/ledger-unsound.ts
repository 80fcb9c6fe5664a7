import { query } from '../../../harness/sql.ts';
import { type Drill, elsewhere, run } from '../../drill.ts';
import type { DrillSystem } from '../../system.ts';

/** Only the owner can do this: the triggers are off in this session. */
const changeBalance = (change: string) => `
  BEGIN; SET LOCAL session_replication_role = replica;
  UPDATE balances SET balance_minor = balance_minor ${change}
   WHERE account_id = (SELECT min(account_id) FROM balances); COMMIT`;

/** A balance is a penny higher than the sum of its entries. */
export const ledgerUnsound: Drill = {
  alert: 'LedgerUnsound',
  cause: async (system) => {
    await query(system.stores.databases.billing, changeBalance('+ 1'));
    await checkLedger(system);
  },
  mend: [
    run('admin ledger check'),
    run('admin balance statement --org 1 --mode test --limit 3'),
    elsewhere('the row is again what the backup says', async ({ stores }) => {
      await query(stores.databases.billing, changeBalance('- 1'));
    }),
    run('admin ledger check'),
  ],
};

/** The same check as every night. */
async function checkLedger({ callAdmin }: DrillSystem): Promise<void> {
  await callAdmin('BILLING', 'GET', '/admin/ledger/check');
}
