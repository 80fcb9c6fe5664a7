/**
 * Stripe's idempotency keys: the same key with the same parameters gives the same reply; other parameters are an error. Handlers are
 * synchronous, so two calls with one key never overlap.
 */
import { createHash } from 'node:crypto';
import type { Collection } from './journal.ts';
import { type Reply, refuse } from './replies.ts';

export type SavedReply = { readonly id: string; readonly fingerprint: string; readonly reply: Reply };

export function answerOnce(
  saved: Collection<SavedReply>,
  call: { mode: string; idempotencyKey: string | undefined; path: string; input: unknown },
  handle: () => Reply,
): Reply {
  if (call.idempotencyKey === undefined) return handle();
  const id = `${call.mode}:${call.idempotencyKey}`;
  const fingerprint = createHash('sha256')
    .update(`${call.path}\n${canonical(call.input)}`)
    .digest('base64');
  const headers = { 'idempotency-key': call.idempotencyKey };
  const before = saved.get(id);
  if (before && before.fingerprint !== fingerprint) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${call.idempotencyKey}' if you meant to execute a different request.`;
    return refuse(400, { type: 'idempotency_error', message });
  }
  if (before) return { ...before.reply, headers: { ...headers, 'idempotent-replayed': 'true' } };
  const reply = handle();
  // Stripe stores the results of the work, also its own errors, but not what its validation refused.
  if (reply.status < 400 || reply.status >= 500) saved.put({ id, fingerprint, reply });
  return { ...reply, headers };
}

/** The same text for the same parameters in any order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
