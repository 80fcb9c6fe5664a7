/** The client of a community platform: which offers a member sees now, and which of them were seen. Only closures hold the key. */
import { jsonBody } from './body.ts';
import { call } from './call.ts';
import type { Clock } from './clock.ts';
import { invalidArgument } from './error.ts';
import {
  type CallOptions,
  type CommunityClientOptions,
  communitySettingsFrom,
  limitsFrom,
  type Settings,
} from './options.ts';
import type { ReplyInfo, ResultOf } from './result.ts';
import type { Mode, PlacementsRequest } from './types.ts';

export type CommunityClient = {
  /** The mode in the key's prefix: placements are offers of this mode only. */
  readonly mode: Mode;
  /**
   * The offers that a member sees now. Because a page waits for them, an attempt takes at most 2 seconds and the call 5, unless
   * `timeoutMs` and `deadlineMs` say otherwise. Show the page without offers when it throws.
   */
  readonly placements: (
    request: PlacementsRequest,
    options?: CallOptions,
  ) => Promise<ResultOf<'findPlacements'>>;
  /**
   * Counts offers that were seen, by their `view_token`. A token counts once, so send all of them again after an error. More than 500
   * are sent in several requests, one after another, under one deadline. What cannot be a token is not sent, and is in `refused`. An
   * empty list sends nothing: `reply.attempts` is 0.
   */
  readonly views: (tokens: readonly string[], options?: CallOptions) => Promise<ResultOf<'sendViews'>>;
};

/** @throws OfferAdsError of kind `invalid-argument` */
export function createCommunityClient(options: CommunityClientOptions): CommunityClient {
  return clientWith(communitySettingsFrom(options));
}

/** The same with an injected clock. */
export function createCommunityClientAt(clock: Clock, options: CommunityClientOptions): CommunityClient {
  return clientWith(communitySettingsFrom(options, clock));
}

function clientWith(o: ReturnType<typeof communitySettingsFrom>): CommunityClient {
  return {
    mode: o.mode,
    placements: async (request, options = {}) =>
      call(o.forPages, { name: 'findPlacements', path: '/placements', body: jsonBody(request) }, options),
    views: async (tokens, options = {}) => sendViews(o.settings, tokens, options),
  };
}

/** The limits of one request. A test compares them with the contract. */
export const viewLimits = { tokens: 500, tokenLength: 512 };

/**
 * Tokens come back from browsers, so they may be anything. One that is too long would have its whole request refused, and quotation marks
 * and other letters make the body longer than the service accepts.
 */
function canBeToken(token: unknown): boolean {
  return typeof token === 'string' && token.length <= viewLimits.tokenLength && /^[!#-[\]-~]+$/.test(token);
}

async function sendViews(
  settings: Settings,
  tokens: readonly string[],
  options: CallOptions,
): Promise<ResultOf<'sendViews'>> {
  if (!Array.isArray(tokens)) throw invalidArgument('views takes a list of view tokens');
  const { clock } = settings;
  const endsAtMs = clock.now() + limitsFrom(options, settings).deadlineMs;
  // Read before anything is sent, because the caller may change the list meanwhile.
  const given = tokens.map((token, place) => ({ token, place }));
  const sendable = given.filter(({ token }) => canBeToken(token));
  const refused = given.filter(({ token }) => !canBeToken(token)).map(({ place }) => place);
  let accepted = 0;
  let reply: ReplyInfo = {
    status: 200,
    requestId: undefined,
    headers: new Headers(),
    attempts: 0,
    earlierReplyLost: false,
  };
  for (let from = 0; from < sendable.length; from += viewLimits.tokens) {
    const piece = sendable.slice(from, from + viewLimits.tokens);
    const body = jsonBody({ view_tokens: piece.map(({ token }) => token) });
    const deadlineMs = Math.max(1, endsAtMs - clock.now());
    const request = { name: 'sendViews', path: '/placements/views', body } as const;
    const sent = await call(settings, request, { ...options, deadlineMs });
    accepted += sent.value.accepted;
    refused.push(...sent.value.refused.flatMap((index) => piece[index]?.place ?? []));
    reply = {
      ...sent.reply,
      attempts: reply.attempts + sent.reply.attempts,
      earlierReplyLost: reply.earlierReplyLost || sent.reply.earlierReplyLost,
    };
  }
  return { ok: true, value: { accepted, refused: refused.toSorted((a, b) => a - b) }, reply };
}
