/**
 * Secrets that are replaced while everything runs. A setting may hold several, separated by commas: the first is the one that
 * signs and is sent, all are accepted. So a new one is added behind the old one, then put before it, then the old one is left
 * out, each by a rolling restart in which replicas differ and no request fails (docs/operations/rotation.md).
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** Its owner speaks with this one. */
export function firstSecret(setting: string): string {
  const end = setting.indexOf(',');
  return end === -1 ? setting : setting.slice(0, end);
}

/** Its owner listens to all of these. */
export function allSecrets(setting: string): readonly string[] {
  return setting.split(',');
}

/** Signs with the first secret and knows what any of them has signed: HMAC-SHA256, cut to `bytes`, as base64url. */
export type Seal = {
  readonly sign: (text: string) => string;
  /** Texts are compared, not bytes: Node decodes many texts to the same bytes, and only one of them was given out. */
  readonly isGenuine: (text: string, signature: string) => boolean;
};

export function createSeal(setting: string, { bytes = 32 }: { bytes?: number } = {}): Seal {
  const keys = allSecrets(setting).map((secret) => createSecretKey(Buffer.from(secret)));
  const mac = (key: (typeof keys)[number], text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, bytes).toString('base64url');
  const [signing] = keys;
  if (signing === undefined) throw new Error('a seal needs a secret');
  return {
    sign: (text) => mac(signing, text),
    isGenuine: (text, signature) => keys.some((key) => isSame(mac(key, text), signature)),
  };
}

function isSame(expected: string, sent: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
