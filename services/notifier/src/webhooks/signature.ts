/**
 * Signs webhooks as Standard Webhooks 1.0 says: with its symmetric scheme `v1`, and where an endpoint wants it with its asymmetric scheme `v1a`
 * too, whose public key can forge nothing. https://www.standardwebhooks.com
 */
import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const secretPrefix = 'whsec_';
/** The specification asks for 24 to 64. */
const secretBytes = 32;

/** `privateKey`: of Ed25519, in PKCS #8. */
export type EndpointKeys = { readonly secret: string; readonly privateKey: string };

export function newEndpointKeys(): EndpointKeys & { readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    secret: secretPrefix + randomBytes(secretBytes).toString('base64'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    // The key alone: the last 32 bytes.
    publicKey: `whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`,
  };
}

/** As they are sealed in the database. */
export const textOfKeys = ({ secret, privateKey }: EndpointKeys): string => `${secret} ${privateKey}`;

export function keysOfText(text: string): EndpointKeys {
  const [secret = '', privateKey = ''] = text.split(' ');
  return { secret, privateKey };
}

/** A signature by each of the keys: while they are being replaced, the receiver accepts those that it knows. */
export function signatureHeaders(o: {
  readonly id: string;
  /** Of the attempt, not of the event: receivers refuse what is older than some minutes. */
  readonly at: Date;
  readonly body: string;
  readonly keys: readonly EndpointKeys[];
  /** Whether to sign by `v1a` too. */
  readonly ed25519: boolean;
}): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = `${Math.floor(o.at.getTime() / 1_000)}`;
  const signed = `${o.id}.${timestamp}.${o.body}`;
  const signatures = o.keys.map(({ secret }) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  if (o.ed25519) signatures.push(...o.keys.map(({ privateKey }) => `v1a,${signedBy(privateKey, signed)}`));
  return {
    'webhook-id': o.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function signedBy(privateKey: string, text: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return sign(null, Buffer.from(text), key).toString('base64');
}
