/** One replica checks the ledger every night. Every replica exports the result and the time of the last check as metrics. */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop, tryWithLeadership } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isLedgerCheckDue } from '../domain/ledger/ledger-check-due.ts';
import { checkLedger, lastLedgerCheck, recordLedgerCheck } from './ledger-check-store.ts';

type Watched = { readonly postgres: Postgres; readonly clock: Clock };

export type LedgerWatch = AsyncDisposable & {
  /** Runs a check if one is due. */
  readonly check: () => Promise<void>;
  /** Reads the last result. */
  readonly look: () => Promise<void>;
};

/** A check takes minutes with millions of transactions; one that failed is repeated within the hour. */
const CHECK_EVERY_MS = 3_600_000;
/** The query reads one row of one table, so it can run often. */
const LOOK_EVERY_MS = 15_000;

/** Has no deadline, because no caller waits for it. */
export async function checkAndRecord(
  { postgres, clock }: Watched,
  signal?: AbortSignal,
): Promise<LedgerCheckReply> {
  const found = await checkLedger(postgres, { signal });
  await recordLedgerCheck(postgres, found, clock.now());
  return found;
}

export function watchLedger(o: Watched & { logger: Logger; metrics: Metrics }): LedgerWatch {
  const problems = o.metrics.gauge({
    name: 'ledger_check_problems',
    help: 'Problems found by the last check of the ledger; the same on every replica',
  });
  const checkedAt = o.metrics.gauge({
    name: 'ledger_check_timestamp_seconds',
    help: 'When the last check of the ledger ended; 0 if none has',
  });
  const checking = startLoop({
    ...o,
    name: 'ledger-check',
    everyMs: CHECK_EVERY_MS,
    work: async (signal) => {
      const isDue = async () =>
        isLedgerCheckDue((await lastLedgerCheck(o.postgres))?.checkedAt, o.clock.now());
      if (!(await isDue())) return;
      await tryWithLeadership(o.postgres, 'ledger-check', async () => {
        // Another replica may have finished a check just now.
        if (!(await isDue())) return;
        const found = await checkAndRecord(o, signal);
        const { transactions, problems } = found;
        const facts = { transactions, problems: problems.length };
        if (found.ok) o.logger.info(facts, 'the ledger has been checked');
        else o.logger.error(facts, 'the ledger has errors: run ledger check to see them');
      });
    },
  });
  const looking = startLoop({
    ...o,
    name: 'ledger-check-look',
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      const last = await lastLedgerCheck(o.postgres);
      if (last === undefined) return;
      problems.set(last.problems);
      checkedAt.set(last.checkedAt.getTime() / 1_000);
    },
  });
  return {
    check: checking.runNow,
    look: looking.runNow,
    [Symbol.asyncDispose]: async () => {
      await checking[Symbol.asyncDispose]();
      await looking[Symbol.asyncDispose]();
    },
  };
}
