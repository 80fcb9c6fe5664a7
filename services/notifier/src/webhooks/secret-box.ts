/**
 * Encrypts the secrets of endpoints, so that a copy of the database alone signs nothing. A hash, as API keys have it, would not do: the
 * service needs the secret for each signature.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { allSecrets } from '@offer-ads/platform/config/secrets';

export type SecretBox = {
  readonly seal: (secret: string, endpointId: string) => string;
  /** Undefined if it was sealed for another endpoint, or with a secret that is not in the setting any more. */
  readonly open: (sealed: string, endpointId: string) => string | undefined;
};

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @param setting the first secret seals, all of them open (packages/platform/src/config/secrets.ts) */
export function createSecretBox(setting: string): SecretBox {
  const keys = allSecrets(setting).map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'secrets of webhooks/v1', 32)),
  );
  const [sealing] = keys;
  if (sealing === undefined) throw new Error('a box needs a secret');
  return {
    seal: (secret, endpointId) => {
      const nonce = randomBytes(nonceBytes);
      const sealed = createCipheriv(cipher, sealing, nonce).setAAD(Buffer.from(endpointId));
      const text = Buffer.concat([sealed.update(secret, 'utf8'), sealed.final()]);
      return Buffer.concat([nonce, text, sealed.getAuthTag()]).toString('base64url');
    },
    open: (sealed, endpointId) => {
      const bytes = Buffer.from(sealed, 'base64url');
      for (const key of keys) {
        const opened = opening(key, bytes, endpointId);
        if (opened !== undefined) return opened;
      }
      return undefined;
    },
  };
}

function opening(key: Buffer, bytes: Buffer, endpointId: string): string | undefined {
  try {
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(endpointId))
      .setAuthTag(bytes.subarray(-tagBytes));
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
