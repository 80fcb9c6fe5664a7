/** Decisions about refunds and disputes, in Postgres. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Bearer, Settlement } from '../domain/payments/settlement.ts';

type SettlementRow = {
  reversal_id: string;
  borne_by: Bearer;
  amount_minor: bigint;
  reason: string;
  decided_by: string;
  settled_at: Date;
  returned_cause: string | null;
};

/** By the ids of the reversals. */
export async function findSettlements(
  on: Queryable,
  reversalIds: readonly string[],
): Promise<Map<string, Settlement>> {
  const rows = await on.query<SettlementRow>('SELECT * FROM card_settlements WHERE reversal_id = ANY ($1)', [
    reversalIds,
  ]);
  return new Map(rows.map((row) => [row.reversal_id, settlementOf(row)]));
}

export async function findSettlement(on: Queryable, reversalId: string): Promise<Settlement | undefined> {
  return (await findSettlements(on, [reversalId])).get(reversalId);
}

export async function insertSettlement(
  tx: Transaction,
  settlement: Omit<Settlement, 'givenBack'>,
  cause: string,
): Promise<void> {
  await tx.query(
    `INSERT INTO card_settlements (reversal_id, borne_by, amount_minor, reason, decided_by, settled_at, cause)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      settlement.reversalId,
      settlement.borneBy,
      settlement.amountMinor,
      settlement.reason,
      settlement.decidedBy,
      settlement.settledAt,
      cause,
    ],
  );
}

export async function markGivenBack(tx: Transaction, reversalId: string, cause: string): Promise<void> {
  await tx.query('UPDATE card_settlements SET returned_cause = $2 WHERE reversal_id = $1', [
    reversalId,
    cause,
  ]);
}

function settlementOf(row: SettlementRow): Settlement {
  return {
    reversalId: row.reversal_id,
    borneBy: row.borne_by,
    amountMinor: row.amount_minor,
    reason: row.reason,
    decidedBy: row.decided_by,
    settledAt: row.settled_at,
    givenBack: row.returned_cause !== null,
  };
}
