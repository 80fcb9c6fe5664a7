/** Repeats a request after a 503, as the contract tells clients to do. */
import { eventually } from './eventually.ts';

const WITHIN_MS = 60_000;

/**
 * The first reply that is not the general 503 of a busy machine. A 503 with a code or another message counts as a reply. An error of
 * `ask` is thrown at once.
 */
export async function patiently<R extends { readonly status: number; readonly body?: unknown }>(
  ask: () => Promise<R>,
): Promise<R> {
  const outcome = await eventually(
    async () => {
      const outcome = await ask().then(
        (reply) => ({ reply }),
        (error: unknown) => ({ error }),
      );
      if ('reply' in outcome && isUnavailable(outcome.reply)) throw new Error('only replies with 503');
      return outcome;
    },
    { timeoutMs: WITHIN_MS },
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
}

/** The body of a `Response` has not been read, so its status decides. */
function isUnavailable(reply: { readonly status: number; readonly body?: unknown }): boolean {
  if (reply.status !== 503 || reply instanceof Response) return reply.status === 503;
  const { return_code, message } = (reply.body ?? {}) as Record<string, unknown>;
  return return_code === undefined && message === 'Service unavailable';
}
