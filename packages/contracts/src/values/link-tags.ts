/** UTM tags, by which the advertiser's own web statistics recognise clicks on offers. */
import { offerLimits } from './offer-limits.ts';

export type LinkTags = { readonly source: string; readonly medium: string };

/** Proposed to who switches tags on. Web statistics count this medium as advertising with pictures. */
export const usualLinkTags: LinkTags = { source: 'offer-ads', medium: 'display' };
export const MAX_TAG = 50;
/** Characters that no address escapes. */
export const TAG = /^[A-Za-z0-9._~-]+$/;

/**
 * The address with the tags behind its own parameters, which stay as they are written. An address with a UTM tag of its own stays alone, and
 * so does one that would be too long for a redirect.
 */
export function withTags(
  url: string,
  { source, medium }: LinkTags,
  offer: { readonly offerId: number; readonly title: string },
): string {
  const tagged = new URL(url);
  if ([...tagged.searchParams.keys()].some((name) => name.toLowerCase().startsWith('utm_')))
    return tagged.href;
  const tags = new URLSearchParams({
    utm_source: source,
    utm_medium: medium,
    utm_campaign: campaignOf(offer),
  }).toString();
  const untagged = tagged.href;
  tagged.search = tagged.search === '' ? tags : `${tagged.search}&${tags}`;
  return tagged.href.length > offerLimits.url ? untagged : tagged.href;
}

const MAX_SLUG = 40;

/** "4711-two-for-one"; the number alone of a title without Latin letters and digits. */
function campaignOf({ offerId, title }: { readonly offerId: number; readonly title: string }): string {
  const words =
    title
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return [offerId, ...words].join('-').slice(0, MAX_SLUG).replace(/-$/, '');
}
