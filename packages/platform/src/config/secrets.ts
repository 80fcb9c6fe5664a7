/**
 * Secrets that can be replaced without downtime. A setting may hold several, separated by commas: the first one signs and is sent, all
 * are accepted. To replace one, add the new secret behind the old one, then put it first, then remove the old one. Each step is a
 * rolling restart; replicas differ meanwhile, and no request fails (docs/operations/rotation.md).
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** The secret that is sent. */
export function firstSecret(setting: string): string {
  const end = setting.indexOf(',');
  return end === -1 ? setting : setting.slice(0, end);
}

/** All secrets that are accepted. */
export function allSecrets(setting: string): readonly string[] {
  return setting.split(',');
}

/** Signs with the first secret and accepts signatures of all: HMAC-SHA256, cut to `bytes`, as base64url. */
export type Seal = {
  readonly sign: (text: string) => string;
  /** Compares texts, not bytes: Node decodes many texts to the same bytes, but only one of them was issued. */
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

/** Takes the same time for every text of the expected length. */
export function isSame(expected: string, sent: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
