/** The signed caller context that goes with every forwarded request (architecture, rule 1). */
import { createHmac } from 'node:crypto';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { firstSecret } from '@offer-ads/platform/config/secrets';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Caller, KeyFacts } from './domain/limits/admission.ts';
import { memo } from './limits/memo.ts';

/** The services that the gateway asks for a caller: those behind the public API, billing and notifier for the portal. */
export type Audience = Extract<ServiceName, 'offers' | 'pricing' | 'billing' | 'notifier'>;
/**
 * Of the caller's mail address only a keyed hash is passed on, and so of the network.
 * @param network of the client, as the rate limit counts it
 */
export type TokenMaker = (audience: Audience, caller: Caller, network: string) => string;

/** A token is checked when a request's head arrives, within milliseconds; the rest is for clocks that differ. */
const validForMs = 30_000;

export function createTokenMaker(o: {
  secrets: Readonly<Record<Audience, string>>;
  clock: Clock;
}): TokenMaker {
  const networkHash = memo(keyedHash(o.secrets.pricing, 'network of a caller'));
  const mailboxHash = keyedHash(o.secrets.pricing, 'mailbox of a caller');
  return (audience, { email, ...caller }, network) => {
    const validUntil = o.clock.now().getTime() + validForMs;
    const mailbox = mailboxHash(email.toLowerCase());
    const context = { ...caller, mailbox, network: networkHash(network), audience, validUntil };
    return signCallerContext(o.secrets[audience], context);
  };
}

/**
 * The same token for the same network, for as long as the look-up that it tells of is remembered: at most a second, a small part of its
 * validity. `facts` is what the look-up found, the very object.
 */
export function rememberTokens(
  tokenFor: TokenMaker,
): (audience: Audience, facts: KeyFacts, caller: Caller, network: string) => string {
  type Tokens = { readonly network: string; readonly byAudience: { [A in Audience]?: string } };
  const remembered = new WeakMap<KeyFacts, Tokens>();
  return (audience, facts, caller, network) => {
    let tokens = remembered.get(facts);
    if (tokens === undefined || tokens.network !== network) {
      tokens = { network, byAudience: {} };
      remembered.set(facts, tokens);
    }
    tokens.byAudience[audience] ??= tokenFor(audience, caller, network);
    return tokens.byAudience[audience];
  };
}

/** With pricing's secret, which all replicas have: pricing counts by it, and nobody without the secret learns the address. */
function keyedHash(secret: string, purpose: string): (text: string) => string {
  const key = firstSecret(secret);
  return (text) =>
    createHmac('sha256', key).update(`${purpose}\n`).update(text).digest('base64url').slice(0, 22);
}
