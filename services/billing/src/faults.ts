/** Faults for requests that contradict stored data. */
import { Fault } from '@offer-ads/platform/process/faults';

/** The same id with another price, organisation, group or payment method. It is a bug of the caller and never causes a second charge. */
export function conflictingSale(sale: string): Fault {
  return new Fault(`${sale} is on record with another price, organisation, group or payment method`, {
    status: 409,
    publicMessage: 'Conflicts with the payment on record',
  });
}
