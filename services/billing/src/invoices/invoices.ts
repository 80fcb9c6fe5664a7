/** Every card payment gets its invoice in the transaction that posts it: one per cause, numbered without gaps. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { type Invoiced, invoiceNumber, type Seller } from '../domain/invoices/invoice.ts';
import { fillInBuyers, insertInvoice, lockNumbers } from './invoices-store.ts';

/** `cause`: that of the ledger transaction. */
export type DueInvoice = Invoiced & { readonly cause: string };

/**
 * Issues the invoice of a card payment; the same cause gives the same invoice. Call it last in the transaction that posts: from here on,
 * other payments of the mode wait for this transaction. A lock taken later could cause a deadlock with one of them.
 */
export async function issueInvoice(
  tx: Transaction,
  o: DueInvoice & { readonly seller: Seller; readonly now: Date },
): Promise<{ readonly number: string }> {
  await lockNumbers(tx, o.book.mode);
  const sequence = await insertInvoice(tx, { ...o, issuedAt: o.now });
  return { number: invoiceNumber(o.book.mode, sequence) };
}

/** A payment does not wait for the event with its organisation's name: the invoice gets the name afterwards. */
export async function nameBuyers({ postgres, logger }: Pick<Billing, 'postgres' | 'logger'>): Promise<void> {
  const named = await fillInBuyers(postgres);
  if (named > 0) logger.info({ named }, 'invoices got the names of their organisations');
}
