/** An offer that ends while a suite runs. */
import { advertiser, inFuture, newOrganisation, type Organisation, offerForm } from './advertiser.ts';
import type { System } from './system.ts';
import { switchTestMailsOn } from './visitor.ts';

export type SoonOver = { readonly organisation: Organisation; readonly offerId: number };

/**
 * An organisation with an offer that ends while other tests run: about the shortest one possible, half of it in the past. A few
 * seconds are added, because a creation may arrive late. Its admin gets the mail of the end.
 */
export async function newOfferThatEndsSoon(system: System): Promise<SoonOver> {
  const organisation = await newOrganisation(system);
  await switchTestMailsOn(system, organisation.adminEmail);
  const period = { start_datetime: inFuture(-30_000), expiry_datetime: inFuture(35_000) };
  const form = await offerForm({ title: 'Soon over', ...period });
  const { body } = await advertiser(system, organisation.key).create(form);
  if (body.return_code !== 'S1') throw new Error(`creating it was answered ${JSON.stringify(body)}`);
  return { organisation, offerId: body.offer_id };
}
