/** Checks that a webhook comes from the service: signature and time, as Standard Webhooks says. With Web Crypto, so in any runtime. */
import { OfferAdsError } from './error.ts';
import type { WebhookEvent } from './types.ts';

export type ReceivedWebhook = {
  /** `whsec_...`, or for signatures of `v1a` the public key `whpk_...`; several while you replace one. */
  readonly secret: string | readonly string[];
  /** Of `fetch`, or of Node's request. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it was received: parsing it and writing it again changes its bytes. */
  readonly body: string | Uint8Array;
  /** How far the time of the attempt may be from this machine's clock. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
};

const usualToleranceSeconds = 300;
/** Of Standard Webhooks: the beginning of a key, of its signatures, and how they are made. */
const schemes = [
  { begins: 'whsec_', version: 'v1,', algorithm: { name: 'HMAC', hash: 'SHA-256' } },
  { begins: 'whpk_', version: 'v1a,', algorithm: { name: 'Ed25519' } },
] as const;
/** The service sends ten at most. */
const signaturesAtMost = 16;

/** @throws OfferAdsError of kind `unverified`; answer such a request with 400 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  return verifyWebhookAt(Date.now(), received);
}

/** The same with an injected time. */
export async function verifyWebhookAt(
  nowMs: number,
  { secret, headers, body, toleranceSeconds = usualToleranceSeconds }: ReceivedWebhook,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, signaturesAtMost);
  if (!/^\d{1,12}$/.test(timestamp)) throw unverified('webhook-timestamp is not a time');
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw unverified(
      `the message was sent more than ${toleranceSeconds} s before or after this machine's time: is its clock right?`,
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const { key, version } of await Promise.all([secret].flat().map(keyOf)))
    for (const signature of signatures) {
      const bytes = signature.startsWith(version) ? bytesOf(signature.slice(version.length)) : undefined;
      if (bytes !== undefined && (await crypto.subtle.verify(key.algorithm, key, bytes, signed)))
        return JSON.parse(text) as WebhookEvent;
    }
  throw unverified('no signature is of this secret and body: is the body as it was received?');
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw unverified(`the header ${name} is missing`);
}

async function keyOf(secret: string) {
  const scheme = schemes.find(({ begins }) => secret.startsWith(begins));
  const bytes = scheme && bytesOf(secret.slice(scheme.begins.length));
  if (scheme === undefined || bytes === undefined || bytes.length === 0)
    throw new OfferAdsError('a secret of a webhook begins with whsec_, its public key with whpk_', {
      kind: 'invalid-argument',
    });
  const { version, algorithm } = scheme;
  return { version, key: await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']) };
}

/** Undefined unless it is base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function unverified(message: string): OfferAdsError {
  return new OfferAdsError(`webhook: ${message}`, { kind: 'unverified' });
}
