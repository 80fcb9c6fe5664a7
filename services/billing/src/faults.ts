/** Faults for requests that contradict stored data. */
import { Fault } from '@offer-ads/platform/process/faults';

/** The same offer id with another price, organisation or payment method. It is a bug of the caller and never causes a second charge. */
export function conflictingSale(offerId: number): Fault {
  return new Fault(`offer ${offerId} is on record with another price, organisation or payment method`, {
    status: 409,
    publicMessage: 'Conflicts with the payment on record',
  });
}
