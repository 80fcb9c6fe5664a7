/** The signed caller context that goes with every forwarded request (architecture, rule 1). */
import type { ServiceName } from '@offer-ads/contracts/primitives';
import { signCallerContext } from '@offer-ads/platform/caller-context';
import type { Clock } from '@offer-ads/platform/clock';
import type { Caller, KeyFacts } from './domain/admission.ts';

/** The services that the gateway asks for a caller: those behind the public API, billing and notifier for the portal. */
export type Audience = Extract<ServiceName, 'offers' | 'pricing' | 'billing' | 'notifier'>;
export type TokenMaker = (audience: Audience, caller: Caller) => string;

/** A token is checked when a request's head arrives, within milliseconds; the rest is for clocks that differ. */
const validForMs = 30_000;

export function createTokenMaker(o: {
  secrets: Readonly<Record<Audience, string>>;
  clock: Clock;
}): TokenMaker {
  return (audience, caller) => {
    const validUntil = o.clock.now().getTime() + validForMs;
    return signCallerContext(o.secrets[audience], { ...caller, audience, validUntil });
  };
}

/**
 * The same token for as long as the look-up that it tells of is remembered: at most a second, a small part of its
 * validity. `facts` is what the look-up found, the very object.
 */
export function rememberTokens(
  tokenFor: TokenMaker,
): (audience: Audience, facts: KeyFacts, caller: Caller) => string {
  const remembered = new WeakMap<KeyFacts, { [A in Audience]?: string }>();
  return (audience, facts, caller) => {
    let tokens = remembered.get(facts);
    if (tokens === undefined) {
      tokens = {};
      remembered.set(facts, tokens);
    }
    tokens[audience] ??= tokenFor(audience, caller);
    return tokens[audience];
  };
}
