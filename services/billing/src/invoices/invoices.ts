/** Every card payment gets its invoice in the transaction that posts it: one per cause, numbered without gaps. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import type { Invoiced, Seller } from '../domain/invoices/invoice.ts';
import { fillInBuyers, insertDueInvoice } from './invoices-store.ts';

/** `cause`: that of the ledger transaction. */
export type DueInvoice = Invoiced & { readonly cause: string };

/** The invoice gets its number in the commit of `tx`. A cause that has its invoice keeps it, and gets no second one. */
export function issueInvoice(
  tx: Transaction,
  o: DueInvoice & { readonly seller: Seller; readonly now: Date },
): void {
  insertDueInvoice(tx, { ...o, issuedAt: o.now });
}

/** A payment does not wait for the event with its organisation's facts: the invoice gets name, country and billing details afterwards. */
export async function nameBuyers({ postgres, logger }: Pick<Billing, 'postgres' | 'logger'>): Promise<void> {
  const named = await fillInBuyers(postgres);
  if (named > 0) logger.info({ named }, 'invoices got the names of their organisations');
}
