/**
 * Charges by billing's own function, and by pgbench with the statements that it recorded from the function, so that both always send the
 * same.
 */
import { join } from 'node:path';
import { openPostgres, type Postgres, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { chargeOffer } from '../../services/billing/src/balance/charge-offer.ts';
import { topUpBalance } from '../../services/billing/src/balance/top-up-balance.ts';
import { billingMeters } from '../../services/billing/src/meters.ts';
import { closedLoop } from '../closed-loop.ts';
import { type Statement, writeScript } from './pgbench.ts';

export const ORGANISATIONS = 1_000;
/** As many as a replica of billing has connections, and pgbench has clients. */
export const AT_ONCE = 10;
const PRICE_MINOR = 1n;
/** More than any run can spend. */
const FUNDS_MINOR = 1_000_000_000n;

const bookOf = (organisationId: number) => ({ organisationId, mode: 'TEST', currency: 'GBP' }) as const;

const metrics = createMetrics('bench');
const meters = billingMeters(metrics);

/** Unused ids: those of pgbench begin far above. */
let lastOfferId = 1_000;
function newSale(organisationId: number) {
  lastOfferId += 1;
  const spending = {
    spender: `key/${organisationId}`,
    access: 'full',
    perDayMinor: null,
    perMonthMinor: null,
  } as const;
  return {
    offerId: lastOfferId,
    book: bookOf(organisationId),
    title: 'Two for one',
    netMinor: PRICE_MINOR,
    spending,
  };
}
const PGBENCH_IDS_FROM = 1_000_000_000;
const IDS_OF_A_CLIENT = 1_000_000;

/** A hot row makes its waiters slow. The bench shall measure that, not fail. */
export function openPool(databaseUrl: string): Promise<Postgres> {
  return openPostgres({
    url: databaseUrl,
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics,
    maxConnections: AT_ONCE,
    statementTimeoutMs: 60_000,
  });
}

/** By one top-up of the platform team each. */
export async function fundEverybody(postgres: Postgres): Promise<void> {
  const left = Array.from({ length: ORGANISATIONS }, (_, index) => index + 1);
  const fund = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const topUp = { book: bookOf(id), amountMinor: FUNDS_MINOR, reference: `funds ${id}` };
      await topUpBalance(postgres, topUp, new Date());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fund));
}

/** @returns charges per second, of so many organisations at random */
export async function runFunction(
  postgres: Postgres,
  organisations: number,
  seconds: number,
): Promise<number> {
  const charge = async () => {
    const sale = newSale(1 + Math.floor(Math.random() * organisations));
    const { outcome } = await chargeOffer({ postgres, meters }, sale, new Date());
    if (outcome !== 'charged') throw new Error('a charge was refused');
  };
  const load = await closedLoop(charge, { atOnce: AT_ONCE, seconds });
  return load.done / load.seconds;
}

/** The statements of a charge of an organisation that has its accounts. Each commits by itself. */
export async function recordCharge(postgres: Postgres): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  const sale = newSale(RECORDED_ORGANISATION);
  const query: Postgres['query'] = (statement, values = []) => {
    statements.push({ sql: sqlOf(statement), values });
    return postgres.query(statement, values);
  };
  await chargeOffer({ postgres: { ...postgres, query }, meters }, sale, new Date());
  const placeholder = (value: unknown): unknown => {
    if (value === sale.offerId) return OFFER;
    return value === `offer ${sale.offerId} charged` ? CAUSE : value;
  };
  return statements.map(({ sql, values }) => ({ sql, values: values.map(placeholder) }));
}

const RECORDED_ORGANISATION = 7;
const OFFER = Symbol('the offer id');
const CAUSE = Symbol('the cause');

/** The same rows by simple SQL: one statement for each. */
const plainStatements = [
  'BEGIN',
  `INSERT INTO payments (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at,
                         spender, ordered_on)
   VALUES (:offer, :org, 'TEST', 'GBP', 'Two for one', ${PRICE_MINOR}, 0, 'B', 'charged', now(), 'key/' || :org, current_date)`,
  `UPDATE balances SET balance_minor = balance_minor - ${PRICE_MINOR}, last_booked_at = greatest(last_booked_at, now())
     FROM accounts WHERE organisation_id = :org AND mode = 'TEST' AND currency = 'GBP' AND kind = 'prepaid-balance'
      AND balances.account_id = accounts.account_id RETURNING balance_minor, last_booked_at \\gset`,
  `INSERT INTO transactions (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
   VALUES ('offer ' || :offer || ' charged', 'offer-charge', :org, 'TEST', 'GBP', :offer, :last_booked_at, :balance_minor)
   RETURNING transaction_id \\gset`,
  `INSERT INTO entries (transaction_id, account_id, amount_minor)
   SELECT :transaction_id, account_id, CASE kind WHEN 'sales' THEN ${PRICE_MINOR} ELSE -${PRICE_MINOR} END FROM accounts
    WHERE organisation_id = :org AND mode = 'TEST' AND currency = 'GBP' AND kind IN ('prepaid-balance', 'sales')`,
  'COMMIT',
];

export type Scripts = { readonly same: string; readonly plain: string };

/** Variables that the runs give: `base` and `orgs`. */
export async function writeScripts(folder: string, recorded: readonly Statement[]): Promise<Scripts> {
  const head = [
    '\\set n :n + 1',
    `\\set offer ${PGBENCH_IDS_FROM} + (:base + :client_id) * ${IDS_OF_A_CLIENT} + :n`,
    '\\set org random(1, :orgs)',
  ];
  const literal = (value: unknown): string => {
    if (value === OFFER) return ':offer';
    if (value === CAUSE) return "('offer ' || :offer || ' charged')";
    if (value === RECORDED_ORGANISATION) return ':org';
    if (value instanceof Date) return 'now()';
    // pgbench takes a name behind a colon for a variable, also within quotes.
    if (typeof value === 'string') return `'${value.replaceAll(':', ': ')}'`;
    if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
    if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(',')}]`;
    throw new Error(`no literal for ${typeof value}`);
  };
  const plain = plainStatements.map((sql) => ({ sql, values: [] }));
  return {
    same: await writeScript(join(folder, 'same.sql'), head, recorded, literal),
    plain: await writeScript(join(folder, 'plain.sql'), head, plain, literal),
  };
}
