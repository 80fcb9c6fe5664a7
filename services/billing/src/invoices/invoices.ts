/** Every card payment gets its invoice in the transaction that books it: one for each cause, numbered without a gap. */
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { type Invoiced, invoiceNumber, type Seller } from '../domain/invoices/invoice.ts';
import { offerPaidByCard } from '../domain/ledger/ledger.ts';
import { fillInBuyers, insertInvoice, lockNumbers, takeNotInvoiced } from './invoices-store.ts';

/** `cause`: the ledger's. */
export type DueInvoice = Invoiced & { readonly cause: string };

/**
 * Issues the invoice of a card payment; the same cause gives the same invoice. Call it last in the transaction that books: other
 * payments of the mode wait from here until it has ended, and a lock taken after this one could be waited for by one of them.
 */
export async function issueInvoice(
  tx: Transaction,
  o: DueInvoice & { readonly seller: Seller; readonly now: Date },
): Promise<{ readonly number: string }> {
  await lockNumbers(tx, o.book.mode);
  const sequence = await insertInvoice(tx, { ...o, issuedAt: o.now });
  return { number: invoiceNumber(o.book.mode, sequence) };
}

/** A short transaction for a few, because payments wait meanwhile. */
const BATCH = 50;

/** What the booking could not do: payments of a version before invoices, and the names of organisations heard of only later. */
export async function completeInvoices(
  { postgres, seller, clock, logger }: Pick<Billing, 'postgres' | 'seller' | 'clock' | 'logger'>,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const issued = await issueMissing(postgres, seller, clock.now());
    if (issued > 0) logger.info({ issued }, 'payments without an invoice got theirs');
    if (issued < BATCH || signal?.aborted) break;
  }
  const named = await fillInBuyers(postgres);
  if (named > 0) logger.info({ named }, 'invoices got the names of their organisations');
}

function issueMissing(postgres: Postgres, seller: Seller, now: Date): Promise<number> {
  return postgres.transaction(async (tx) => {
    const payments = await takeNotInvoiced(tx, BATCH);
    for (const payment of payments) {
      const { cause } = offerPaidByCard(payment.book, payment.offerId, payment);
      await issueInvoice(tx, { ...payment, cause, seller, now });
    }
    return payments.length;
  });
}
