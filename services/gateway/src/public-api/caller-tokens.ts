/** The signed caller context that goes with a forwarded request (architecture, rule 1). */
import { createHmac } from 'node:crypto';
import type { Mode, ServiceName } from '@offer-ads/contracts/values/primitives';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { firstSecret } from '@offer-ads/platform/config/secrets';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Caller } from '../domain/keys/admission.ts';

/** The services that get a caller context: those behind the public API, and billing and notifier for the portal. */
export type Audience = Extract<ServiceName, 'offers' | 'pricing' | 'billing' | 'notifier'>;
/**
 * The caller's mail address and network are passed on only as keyed hashes, and only to pricing, which counts by them.
 * @param network the client's network, as the rate limit counts it
 */
export type TokenMaker = (audience: Audience, caller: Caller, network: string) => string;

/** A token is checked within milliseconds, when the request's head arrives; the rest allows for clock differences. */
const validForMs = 30_000;

export function createTokenMaker(o: {
  secrets: Readonly<Record<Audience, string>>;
  clock: Clock;
}): TokenMaker {
  const networkHash = keyedHash(o.secrets.pricing, 'network of a caller');
  const mailboxHash = keyedHash(o.secrets.pricing, 'mailbox of a caller');
  return (audience, { email, ...caller }, network) =>
    signCallerContext(o.secrets[audience], {
      ...caller,
      mailbox: audience === 'pricing' ? mailboxHash(email.toLowerCase()) : null,
      network: audience === 'pricing' ? networkHash(network) : null,
      audience,
      validUntil: o.clock.now().getTime() + validForMs,
    });
}

export function createPlacementTokenMaker(o: {
  secret: string;
  clock: Clock;
}): (key: { readonly id: number; readonly mode: Mode }) => string {
  return ({ id, mode }) => {
    const validUntil = o.clock.now().getTime() + validForMs;
    return signCallerContext(o.secret, { audience: 'offers', validUntil, mode, placementKeyId: id });
  };
}

/** Uses pricing's secret, which all replicas have: pricing counts by the hash, and the address cannot be derived without the secret. */
function keyedHash(secret: string, purpose: string): (text: string) => string {
  const key = firstSecret(secret);
  return (text) =>
    createHmac('sha256', key).update(`${purpose}\n`).update(text).digest('base64url').slice(0, 22);
}
