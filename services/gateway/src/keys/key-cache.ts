/**
 * Caches what the store knows about keys. What a look-up found is used for one second from the START of the look-up, and for longer only
 * while the replica has read every change since (key-changes.ts). So a revocation answers a second after its commit: then no replica uses
 * the old state (decision 25, revoked on every replica).
 */
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isWellFormedKey } from '../domain/keys/api-key.ts';
import type { KeyFacts } from '../domain/limits/admission.ts';
import type { KeyChanges } from './key-changes.ts';

/** How long an answer of the store is used without a newer one. */
export const unconfirmedMs = 1_000;
/** A changed fact that no trigger of the database notices is in force after this time. */
const maxAgeMs = 10 * 60 * 1_000;
/** Timers of two machines may differ a little. */
const marginMs = 50;

/** Changes of keys, their owners and organisations await this after their commit: then no replica uses the old facts. */
export async function waitUntilCachesExpire(afterMs = unconfirmedMs): Promise<void> {
  await pause(afterMs + marginMs);
}

export function sha256Of(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A well-formed key, as a caller has sent it, and what is known about it. */
export type SentKey = {
  readonly text: string;
  readonly sha256: Buffer;
  lookUp: LookUp | undefined;
};
/** `facts` is undefined while the look-up runs, and null if there is no such key. */
type LookUp = {
  readonly startedAtMs: number;
  readonly found: Promise<KeyFacts | null>;
  facts: KeyFacts | null | undefined;
};

export type KeyCache = {
  /** Null if the text cannot be a key. Such a request needs no look-up, and no call log can contain it. */
  readonly read: (sent: string | string[] | undefined) => SentKey | null;
  /** Null if there is no such key. A failed look-up rejects for all requests that wait for it, and is not cached. */
  readonly factsOf: (key: SentKey) => KeyFacts | null | Promise<KeyFacts | null>;
  /** Whether a look-up has found the key. It needs no store, so it also works during an outage. */
  readonly exists: (key: SentKey) => boolean;
};

/**
 * Keys by their text, so that hash and checksum are computed once and not at each request. When a bound is reached, the key whose look-up
 * is oldest is dropped.
 * @param o.maxBytes about how much memory the keys that exist may take, in bytes
 * @param o.maxStrangers how many other keys are cached: callers can make them up
 */
export function createKeyCache(o: {
  lookUp: (sha256: Buffer) => Promise<KeyFacts | null>;
  changes: KeyChanges;
  maxBytes: number;
  maxStrangers?: number;
  elapsedMs?: (() => number) | undefined;
  unconfirmedMs?: number | undefined;
}): KeyCache {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  const trustedMs = o.unconfirmedMs ?? unconfirmedMs;
  const existing = boundedBy(o.maxBytes, bytesOf);
  const strangers = boundedBy(o.maxStrangers ?? 10_000, () => 1);

  function isCurrent({ facts, startedAtMs }: LookUp, nowMs: number): boolean {
    const ageMs = nowMs - startedAtMs;
    if (ageMs < trustedMs) return true;
    if (facts === null || facts === undefined) return false;
    return ageMs < maxAgeMs && o.changes.noneSince(startedAtMs, facts.organisationId, nowMs);
  }

  function start(key: SentKey, nowMs: number): LookUp {
    const lookUp: LookUp = { startedAtMs: nowMs, found: o.lookUp(key.sha256), facts: undefined };
    key.lookUp = lookUp;
    if (!existing.has(key)) strangers.add(key);
    void note(key, lookUp);
    return lookUp;
  }

  async function note(key: SentKey, lookUp: LookUp): Promise<void> {
    try {
      lookUp.facts = await lookUp.found;
    } catch {
      if (key.lookUp === lookUp) key.lookUp = undefined;
      return;
    }
    if (lookUp.facts === null || key.lookUp !== lookUp) return;
    strangers.drop(key);
    existing.add(key);
  }

  return {
    read: (sent) => {
      if (typeof sent !== 'string') return null;
      const known = existing.get(sent) ?? strangers.get(sent);
      if (known !== undefined) return known;
      return isWellFormedKey(sent) ? { text: sent, sha256: sha256Of(sent), lookUp: undefined } : null;
    },
    factsOf: (sent) => {
      // Another request may have added the same key since this one was read.
      const key = existing.get(sent.text) ?? strangers.get(sent.text) ?? sent;
      const nowMs = elapsedMs();
      if (key.lookUp === undefined || !isCurrent(key.lookUp, nowMs)) return start(key, nowMs).found;
      return key.lookUp.facts === undefined ? key.lookUp.found : key.lookUp.facts;
    },
    exists: (key) => existing.has(key),
  };
}

/** Measured: a key with its facts and its place in the map. */
const usualBytes = 850;

function bytesOf({ text, lookUp }: SentKey): number {
  const { email = '', tradingName = '' } = lookUp?.facts ?? {};
  return usualBytes + text.length + email.length + tradingName.length;
}

/** Keys by their text, the latest added last. Beyond the bound the first are dropped. */
function boundedBy(max: number, weigh: (key: SentKey) => number) {
  const kept = new Map<string, { readonly key: SentKey; readonly weight: number }>();
  let total = 0;
  function drop({ text }: SentKey): void {
    total -= kept.get(text)?.weight ?? 0;
    kept.delete(text);
  }
  return {
    get: (text: string) => kept.get(text)?.key,
    has: ({ text }: SentKey) => kept.has(text),
    drop,
    add: (key: SentKey) => {
      drop(key);
      const weight = weigh(key);
      kept.set(key.text, { key, weight });
      total += weight;
      for (const { key: oldest } of kept.values()) {
        if (total <= max) return;
        drop(oldest);
      }
    },
  };
}
