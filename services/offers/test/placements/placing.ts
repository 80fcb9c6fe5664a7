/** Offers that members are shown: their tokens, and what the community platform and browsers do with them. */
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { signedPlacementCaller } from '@offer-ads/testing/placement-caller';
import type { Counts } from '../../src/domain/traffic/traffic.ts';
import type { Offers } from '../../src/service.ts';
import { type PlacementTokens, placementTokens, type Shown } from '../../src/traffic/tokens.ts';
import { sumCounts } from '../../src/traffic/traffic-store.ts';
import type { Answer, OffersUnderTest } from '../offers-under-test.ts';

/** A browser of a person. */
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export type Placed = { readonly viewToken: string; readonly clickPath: string };

/** Shows the offer to a member once, now unless the facts say otherwise. */
export function place(under: OffersUnderTest, offerId: number, facts: Partial<Shown> = {}): Placed {
  const { viewToken, clickUrl } = tokensOf(under).make(shown(under, offerId, facts));
  return { viewToken, clickPath: clickUrl.slice(under.config.PUBLIC_URL.length) };
}

export function viewTokens(
  under: OffersUnderTest,
  offerId: number,
  count: number,
  facts: Partial<Shown> = {},
): string[] {
  const tokens = tokensOf(under);
  return Array.from({ length: count }, () => tokens.make(shown(under, offerId, facts)).viewToken);
}

function tokensOf({ config }: OffersUnderTest): PlacementTokens {
  return placementTokens({ secret: config.PLACEMENT_TOKEN_SECRET, publicUrl: config.PUBLIC_URL });
}

function shown({ clock }: OffersUnderTest, offerId: number, facts: Partial<Shown>): Shown {
  return { mode: 'TEST', offerId, viewer: undefined, shownAt: clock.now(), ...facts };
}

export type SendOptions = {
  readonly mode?: Mode;
  readonly to?: Offers;
  /** The first answer, also when it is 503. */
  readonly once?: true;
  readonly budgetMs?: number;
};

export function sendViews(
  under: OffersUnderTest,
  tokens: readonly string[],
  { mode = 'TEST', budgetMs, ...o }: SendOptions = {},
): Promise<Answer> {
  return under.call('POST', '/placements/views', {
    headers: {
      ...signedPlacementCaller({ mode }),
      ...(budgetMs !== undefined && { [requestBudgetHeader]: String(budgetMs) }),
    },
    json: { view_tokens: tokens },
    ...o,
  });
}

/** What `POST /placements` answers. */
export function askForPlacements(
  under: OffersUnderTest,
  body: object,
  { mode = 'TEST', ...o }: Pick<SendOptions, 'mode' | 'to' | 'once'> = {},
): Promise<Answer> {
  return under.call('POST', '/placements', { headers: signedPlacementCaller({ mode }), json: body, ...o });
}

/** Views and clicks of nobody in particular, as the community platform sends them in events. */
export async function seeOffer(
  { deliver, clock }: OffersUnderTest,
  offerId: number,
  { views = 0, clicks = 0, at = clock.now() }: { views?: number; clicks?: number; at?: Date },
): Promise<void> {
  const seenAt = at.toISOString();
  for (let n = 0; n < views; n += 1) await deliver(OfferViewed, { offerId, viewedAt: seenAt });
  for (let n = 0; n < clicks; n += 1) await deliver(OfferClicked, { offerId, clickedAt: seenAt });
}

/** Opens a click address and follows no redirect. */
export async function click(
  under: OffersUnderTest,
  path: string,
  o: { readonly to?: Offers; readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch((o.to ?? under.offers).url + path, {
    method: o.method ?? 'GET',
    redirect: 'manual',
    headers: { 'user-agent': firefox, ...o.headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** All counts of the offer that are not 0. */
export async function countsOf(under: OffersUnderTest, offerId: number): Promise<Partial<Counts>> {
  const counts = await sumCounts(under.postgres, offerId, {
    from: new Date(0),
    to: new Date('2100-01-01T00:00:00Z'),
  });
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}
