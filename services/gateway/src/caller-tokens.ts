/** The signed caller context that goes with every forwarded request (architecture, rule 1). */
import { createHmac } from 'node:crypto';
import type { Mode, ServiceName } from '@offer-ads/contracts/values/primitives';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { firstSecret } from '@offer-ads/platform/config/secrets';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Caller, KeyFacts } from './domain/limits/admission.ts';

/** The services that get a caller context: those behind the public API, and billing and notifier for the portal. */
export type Audience = Extract<ServiceName, 'offers' | 'pricing' | 'billing' | 'notifier'>;
/**
 * The caller's mail address and network are passed on only as keyed hashes, and the network only to pricing, which counts by it.
 * @param network the client's network, as the rate limit counts it
 */
export type TokenMaker = (audience: Audience, caller: Caller, network: string) => string;

const namesNetwork = (audience: Audience) => audience === 'pricing';

/** A token is checked within milliseconds, when the request's head arrives; the rest allows for clock differences. */
const validForMs = 30_000;

export function createTokenMaker(o: {
  secrets: Readonly<Record<Audience, string>>;
  clock: Clock;
}): TokenMaker {
  const networkHash = keyedHash(o.secrets.pricing, 'network of a caller');
  const mailboxHash = keyedHash(o.secrets.pricing, 'mailbox of a caller');
  return (audience, { email, ...caller }, network) => {
    const validUntil = o.clock.now().getTime() + validForMs;
    const mailbox = mailboxHash(email.toLowerCase());
    const hashed = namesNetwork(audience) ? networkHash(network) : null;
    const context = { ...caller, mailbox, network: hashed, audience, validUntil };
    return signCallerContext(o.secrets[audience], context);
  };
}

/** Makes the tokens of placement requests, each only once in five seconds. Placement keys are few. */
export function createPlacementTokenMaker(o: {
  secret: string;
  clock: Clock;
}): (key: { readonly id: number; readonly mode: Mode }) => string {
  const remembered = new Map<number, { readonly token: string; readonly validUntil: number }>();
  return ({ id, mode }) => {
    const nowMs = o.clock.now().getTime();
    const known = remembered.get(id);
    if (known !== undefined && known.validUntil > nowMs + validForMs - rememberedMs) return known.token;
    const validUntil = nowMs + validForMs;
    const token = signCallerContext(o.secret, { audience: 'offers', validUntil, mode, placementKeyId: id });
    remembered.set(id, { token, validUntil });
    return token;
  };
}

/** A small part of a token's validity. */
const rememberedMs = 5_000;
const maxRemembered = 10_000;

/**
 * Makes a token only once in five seconds, for the same facts and, for pricing, the same network. `facts` is the cached object itself.
 */
export function rememberTokens(
  tokenFor: TokenMaker,
  elapsedMs: () => number = () => performance.now(),
): (audience: Audience, facts: KeyFacts, caller: Caller, network: string) => string {
  type Token = { readonly text: string; readonly network: string };
  const remembered = new Map<KeyFacts, { [A in Audience]?: Token }>();
  let sinceMs = elapsedMs();
  return (audience, facts, caller, network) => {
    if (elapsedMs() - sinceMs >= rememberedMs || remembered.size >= maxRemembered) {
      remembered.clear();
      sinceMs = elapsedMs();
    }
    let tokens = remembered.get(facts);
    if (tokens === undefined) {
      tokens = {};
      remembered.set(facts, tokens);
    }
    const known = tokens[audience];
    if (known !== undefined && (known.network === network || !namesNetwork(audience))) return known.text;
    const text = tokenFor(audience, caller, network);
    tokens[audience] = { text, network };
    return text;
  };
}

/** Uses pricing's secret, which all replicas have: pricing counts by the hash, and the address cannot be derived without the secret. */
function keyedHash(secret: string, purpose: string): (text: string) => string {
  const key = firstSecret(secret);
  return (text) =>
    createHmac('sha256', key).update(`${purpose}\n`).update(text).digest('base64url').slice(0, 22);
}
