/** How events name a balance. Their versions are ledger transaction numbers, which grow with every booking. */
import type { Book } from './domain/ledger.ts';

export function balanceSubject({ organisationId, mode, currency }: Book): string {
  return `balance/${organisationId}/${mode}/${currency}`;
}
