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
export async function waitUntilCachesExpire(rememberMs = rememberKeysMs): Promise<void> {
  await pause(rememberMs + marginMs);
}

export function sha256Of(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A well-formed key, as a caller has sent it, and what is known about it. */
export type SentKey = {
  readonly text: string;
  readonly sha256: Buffer;
  /** The hash, for maps. */
  readonly id: string;
  look: LookUp | undefined;
};
/** `facts` is undefined while the look-up runs, and null if there is no such key. */
type LookUp = {
  readonly startedAtMs: number;
  readonly found: Promise<KeyFacts | null>;
  facts: KeyFacts | null | undefined;
};

export type KeyLookUp = {
  /** Null if the text cannot be a key. Such a request needs no look-up, and no call log can contain it. */
  readonly read: (sent: string | string[] | undefined) => SentKey | null;
  /** Caches each look-up, whatever its result, and shares it with requests that arrive while it runs. */
  readonly lookUp: (key: SentKey) => KeyFacts | null | Promise<KeyFacts | null>;
  /** Whether a look-up has ever found the key. It needs no store, so it also works during an outage. */
  readonly wasFound: (key: SentKey) => boolean;
};

/**
 * The latest keys by their text, so that hash and checksum are computed once and not at each request.
 * @param o.maxKeys limits the memory that invented keys can take
 * @param o.maxFound how many of the latest keys that were found are noted; 50,000 take about 5 MB
 */
export function rememberLookUps(
  find: (sha256: Buffer) => Promise<KeyFacts | null>,
  o: {
    elapsedMs?: () => number;
    maxKeys?: number;
    maxFound?: number;
    rememberMs?: number | undefined;
  } = {},
): KeyLookUp {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  const maxKeys = o.maxKeys ?? 10_000;
  const rememberMs = o.rememberMs ?? rememberKeysMs;
  const remembered = new Map<string, SentKey>();
  const maxFound = o.maxFound ?? 50_000;
  const foundKeys = new Set<string>();

  const noteFound = ({ id }: SentKey) => {
    // Deleted first, so that the oldest entry stays first.
    foundKeys.delete(id);
    foundKeys.add(id);
    if (foundKeys.size > maxFound) foundKeys.delete(foundKeys.keys().next().value ?? '');
  };

  const noteOutcome = async (key: SentKey, look: LookUp) => {
    try {
      look.facts = await look.found;
      if (look.facts !== null) noteFound(key);
    } catch {
      // A failure is not cached. The requests that wait for it get it.
      if (key.look === look) key.look = undefined;
    }
  };

  const startLookUp = (key: SentKey, nowMs: number): LookUp => {
    const look: LookUp = { startedAtMs: nowMs, found: inTime(find(key.sha256)), facts: undefined };
    key.look = look;
    // Deleted first, so that the map stays in the order of look-ups and its first entry is the oldest.
    remembered.delete(key.text);
    remembered.set(key.text, key);
    if (remembered.size > maxKeys) remembered.delete(remembered.keys().next().value ?? '');
    void noteOutcome(key, look);
    return look;
  };

  return {
    read: (sent) => {
      if (typeof sent !== 'string') return null;
      const known = remembered.get(sent);
      if (known !== undefined) return known;
      if (!isWellFormedKey(sent)) return null;
      const sha256 = sha256Of(sent);
      return { text: sent, sha256, id: sha256.toString('latin1'), look: undefined };
    },
    lookUp: (key) => {
      const nowMs = elapsedMs();
      // Another request may have looked up the same key since this one was read.
      const look = key.look ?? remembered.get(key.text)?.look;
      if (look === undefined || nowMs - look.startedAtMs >= rememberMs) return startLookUp(key, nowMs).found;
      return look.facts === undefined ? look.found : look.facts;
    },
    wasFound: (key) => foundKeys.has(key.id),
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
