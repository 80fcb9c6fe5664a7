/** The rules about the endpoints of an organisation in a mode: how many, one for an address, and which secrets sign. */
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';

const hour = 3_600_000;

/** A creation with an `Idempotency-Key`; both are digests. */
export type Creation = { readonly key: string; readonly fingerprint: string };

/** What is known of an endpoint that exists when another one is to be made. */
export type Existing = {
  readonly url: string;
  readonly createdAt: Date;
  readonly creation?: Creation;
};

export type CreateRefusal = 'key-reused' | 'url-taken' | 'too-many';

/** After this the secret is not shown any more, even to a caller who knows the key, and the key is free again. */
const replayedForMs = 24 * hour;

/** Whether a new endpoint may be made. `replayed`: the endpoint that an earlier request with the same key made. */
export function admitEndpoint<E extends Existing>(
  existing: readonly E[],
  { url, creation }: { readonly url: string; readonly creation?: Creation },
  now: Date,
): { readonly ok: true; readonly replayed?: E } | { readonly ok: false; readonly reason: CreateRefusal } {
  const freeFrom = new Date(now.getTime() - replayedForMs);
  const replayed = existing.find(
    (one) => creation !== undefined && one.creation?.key === creation.key && one.createdAt > freeFrom,
  );
  if (replayed !== undefined)
    return replayed.creation?.fingerprint === creation?.fingerprint
      ? { ok: true, replayed }
      : { ok: false, reason: 'key-reused' };
  if (existing.some((one) => one.url === url)) return { ok: false, reason: 'url-taken' };
  return existing.length < webhookLimits.endpoints ? { ok: true } : { ok: false, reason: 'too-many' };
}

/** `sealed`: the secret and the private key of `publicKey`. `until`: they sign until then, because newer ones have replaced them. */
export type EndpointSecret = { readonly sealed: string; readonly publicKey: string; readonly until?: Date };

/** Each of them is one more signature in each message, or two. */
const secretsAtMost = 5;

export function isSigning({ until }: EndpointSecret, now: Date): boolean {
  return until === undefined || until > now;
}

/** The newest first. Null: it was rolled so often within a day that a receiver might lose the only secret that it knows. */
export function rolledSecrets(
  secrets: readonly EndpointSecret[],
  fresh: Omit<EndpointSecret, 'until'>,
  now: Date,
): readonly EndpointSecret[] | null {
  const until = new Date(now.getTime() + webhookLimits.overlapHours * hour);
  const before = secrets
    .filter((secret) => isSigning(secret, now))
    .map(({ sealed, publicKey, until: end = until }) => ({ sealed, publicKey, until: end }));
  return before.length < secretsAtMost ? [fresh, ...before] : null;
}
