/** Asks as the contract has every client ask: a system that cannot serve at the moment is asked again. */
import { eventually } from './eventually.ts';

const WITHIN_MS = 60_000;

/**
 * The first reply that is no 503 of a machine that was too busy. A 503 with a code or words of its own is a reply like any other, and
 * what the asking itself throws is thrown at once.
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
      if ('reply' in outcome && isUnavailable(outcome.reply)) throw new Error('503 again and again');
      return outcome;
    },
    { timeoutMs: WITHIN_MS },
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
}

/** Of a `Response` nobody has read the body. */
function isUnavailable(reply: { readonly status: number; readonly body?: unknown }): boolean {
  if (reply.status !== 503 || reply instanceof Response) return reply.status === 503;
  const { return_code, message } = (reply.body ?? {}) as Record<string, unknown>;
  return return_code === undefined && message === 'Service unavailable';
}
