/**
 * Looks up keys. A replica caches a look-up for at most one second from its START. A revocation answers only after that second, when no
 * replica can still have the old state (decision 25, revoked on every replica).
 */
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { isWellFormedKey } from '../domain/keys/api-key.ts';
import type { KeyFacts } from '../domain/limits/admission.ts';

export const rememberKeysMs = 1_000;
/** How long a request waits for the store, which normally answers within a few milliseconds. After that the reply is a 503. */
const longestLookUpMs = 750;
/** Timers of two machines may differ a little. */
const marginMs = 50;

/** Changes of keys, their owners and organisations await this after their commit: then no replica has the old facts in its cache. */
export async function untilForgotten(rememberMs = rememberKeysMs): Promise<void> {
  await pause(rememberMs + marginMs);
}

export function sha256Of(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The hash of a sent key; null if the text cannot be a key. Such a request needs no look-up, and no call log can contain it. */
export function hashOfSentKey(sent: string | string[] | undefined): Buffer | null {
  return typeof sent === 'string' && isWellFormedKey(sent) ? sha256Of(sent) : null;
}

export type KeyLookUp = (sha256: Buffer) => Promise<KeyFacts | null>;

/** Caches each look-up, whatever its result, and shares it with requests that arrive while it runs. */
export function rememberLookUps(
  find: KeyLookUp,
  o: { elapsedMs?: () => number; mostKeys?: number; rememberMs?: number | undefined } = {},
): KeyLookUp {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  /** Limits the memory that invented keys can take. */
  const mostKeys = o.mostKeys ?? 10_000;
  const rememberMs = o.rememberMs ?? rememberKeysMs;
  const remembered = new Map<
    string,
    { readonly startedAtMs: number; readonly found: Promise<KeyFacts | null> }
  >();

  return (sha256) => {
    const id = sha256.toString('latin1');
    const known = remembered.get(id);
    const nowMs = elapsedMs();
    if (known !== undefined && nowMs - known.startedAtMs < rememberMs) return known.found;
    const look = { startedAtMs: nowMs, found: inTime(find(sha256)) };
    // Deleted first, so that the map stays in the order of look-ups and its first entry is the oldest.
    remembered.delete(id);
    remembered.set(id, look);
    if (remembered.size > mostKeys) remembered.delete(remembered.keys().next().value ?? id);
    look.found.catch(() => {
      if (remembered.get(id) === look) remembered.delete(id);
    });
    return look.found;
  };
}

export type FoundKeys = {
  readonly find: KeyLookUp;
  /** Whether a look-up has ever found the key. It needs no store, so it also works during an outage. */
  readonly wasFound: (sha256: Buffer) => boolean;
};

/** @param mostKeys how many of the latest keys are kept; 50,000 take about 5 MB */
export function noteFoundKeys(find: KeyLookUp, mostKeys = 50_000): FoundKeys {
  const found = new Set<string>();
  return {
    find: async (sha256) => {
      const key = await find(sha256);
      if (key === null) return null;
      const id = sha256.toString('latin1');
      // Deleted first, so that the oldest entry stays first.
      found.delete(id);
      found.add(id);
      if (found.size > mostKeys) found.delete(found.keys().next().value ?? id);
      return key;
    },
    wasFound: (sha256) => found.has(sha256.toString('latin1')),
  };
}

async function inTime<T>(found: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(serviceUnavailable('the key was not looked up in time')),
    longestLookUpMs,
  );
  try {
    return await Promise.race([found, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
