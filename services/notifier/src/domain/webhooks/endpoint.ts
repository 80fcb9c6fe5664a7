/** The rules about the endpoints of an organisation in a mode: how many, one for an address, and which secrets sign. */
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';

const hour = 3_600_000;

/** A creation with an `Idempotency-Key`; both are digests. */
export type Creation = { readonly key: string; readonly fingerprint: string };

/** What is known of an endpoint that exists when another one is to be made. `slot`: from 0 on, one for each endpoint. */
export type Existing = {
  readonly url: string;
  readonly slot: number;
  readonly createdAt: Date;
  readonly creation?: Creation;
};

export type CreateRefusal = 'key-reused' | 'url-taken' | 'too-many';

const replayedForMs = 24 * hour;

/** The key of a creation at this moment or earlier is free again: the secret is not shown any more, even to a caller who knows the key. */
export function keysAreFreeFrom(now: Date): Date {
  return new Date(now.getTime() - replayedForMs);
}

/** Where a new endpoint goes, or the endpoint that an earlier request with the same key made. */
export function placeFor<E extends Existing>(
  existing: readonly E[],
  wanted: { readonly url: string; readonly creation?: Creation },
  now: Date,
):
  | { readonly ok: true; readonly slot: number }
  | { readonly ok: true; readonly replayed: E }
  | { readonly ok: false; readonly reason: CreateRefusal } {
  const earlier = existing.find(
    ({ creation, createdAt }) =>
      wanted.creation !== undefined &&
      creation?.key === wanted.creation.key &&
      createdAt > keysAreFreeFrom(now),
  );
  if (earlier !== undefined && earlier.creation?.fingerprint !== wanted.creation?.fingerprint)
    return { ok: false, reason: 'key-reused' };
  if (earlier !== undefined) return { ok: true, replayed: earlier };
  if (existing.some(({ url }) => url === wanted.url)) return { ok: false, reason: 'url-taken' };
  const taken = new Set(existing.map(({ slot }) => slot));
  const slot = Array.from({ length: webhookLimits.endpoints }, (_, index) => index).find(
    (index) => !taken.has(index),
  );
  return slot === undefined ? { ok: false, reason: 'too-many' } : { ok: true, slot };
}

/** `until`: signs until then, because a newer secret has replaced it. */
export type EndpointSecret = { readonly sealed: string; readonly until?: Date };

/** Each of them is one more signature in each message. */
const secretsAtMost = 5;

export function isSigning({ until }: EndpointSecret, now: Date): boolean {
  return until === undefined || until > now;
}

/** The newest first. Null: it was rolled so often within a day that a receiver might lose the only secret that it knows. */
export function rolledSecrets(
  secrets: readonly EndpointSecret[],
  sealed: string,
  now: Date,
): readonly EndpointSecret[] | null {
  const until = new Date(now.getTime() + webhookLimits.overlapHours * hour);
  const before = secrets
    .filter((secret) => isSigning(secret, now))
    .map((secret) => ({ sealed: secret.sealed, until: secret.until ?? until }));
  return before.length < secretsAtMost ? [{ sealed }, ...before] : null;
}
