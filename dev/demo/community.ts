/** The community platform in the demo, by the SDK: shows offers to a member, and says which were seen. */
import { randomUUID } from 'node:crypto';
import { createCommunityClient, type Placement } from '@offer-ads/sdk';
import { place } from './advertiser.ts';
import { mustEqual } from './checks.ts';

const CALL_MS = 10_000;
/** Programs that say that they are one do not count. */
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export function createCommunity(gateway: string, placementKey: string) {
  const community = createCommunityClient({
    placementKey,
    baseUrl: gateway,
    allowHttp: true,
    timeoutMs: CALL_MS,
    deadlineMs: CALL_MS,
  });
  return {
    /** Undefined while a member in the middle of the circle does not see the offer. Other offers of the system may be there too. */
    placementOf: async (offerId: number): Promise<Placement | undefined> => {
      const { latitude, longitude } = place;
      const member = { latitude, longitude, gender: 'Female', viewer: randomUUID(), wanted: 20 } as const;
      const { placements } = (await community.placements(member)).value;
      return placements.find(({ offer_id }) => offer_id === offerId);
    },
    view: async ({ view_token }: Placement): Promise<void> => {
      const { accepted } = (await community.views([view_token])).value;
      mustEqual(accepted, 1, 'the view tokens that count');
    },
    /** Where the browser is led. */
    click: async ({ click_url }: Placement): Promise<string> => {
      const options = { redirect: 'manual', headers: { 'user-agent': browser } } as const;
      const reply = await fetch(click_url, { ...options, signal: AbortSignal.timeout(CALL_MS) });
      mustEqual(reply.status, 302, 'a click');
      return reply.headers.get('location') ?? '';
    },
  };
}
