/** Titles of offers in sentences. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';

/** Isolates the text direction of a title, so that a right-to-left title does not reorder the sentence around it. */
export function quoted(title: string): string {
  return `“\u2068${title}\u2069”`;
}

/** With its place where it has one: the offers of a group share their title. */
export function nameOf({ title, place_label: place }: Pick<PortalOffer, 'title' | 'place_label'>): string {
  return place === null ? title : `${title} (${place})`;
}

export const quotedOffer = (offer: Parameters<typeof nameOf>[0]): string => quoted(nameOf(offer));
