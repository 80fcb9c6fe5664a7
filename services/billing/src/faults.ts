/** Faults of billing's callers: what they ask contradicts what is on record. */
import { Fault } from '@offer-ads/platform/process/faults';

/** The same offer id with another price, organisation or way to pay: never a second charge, always a bug of the caller. */
export function conflictingSale(offerId: number): Fault {
  return new Fault(`offer ${offerId} is on record with another price, organisation or payment method`, {
    status: 409,
    publicMessage: 'Conflicts with the payment on record',
  });
}
