/** Requests money exactly once: repeats the request with the same Idempotency-Key until the outcome is known. */
import type { Reply } from '../../../../ui/calls/call.ts';
import { type Attempt, leavesUnknown } from '../../attempts/attempt.ts';
import { useAttempt } from '../../attempts/use-attempt.ts';
import { usePortal } from '../../session.ts';

export type Asked<Body> =
  | { readonly outcome: 'done'; readonly body: Body }
  | { readonly outcome: 'refused'; readonly message: string }
  /** From now on `lost` is set. */
  | { readonly outcome: 'unknown' };

export type AskOnce<Body> = {
  readonly ask: (amountMinor: bigint) => Promise<Asked<Body>>;
  /** Its `what` is the amount in minor units. */
  readonly lost: Attempt | null;
};

export function useAskOnce<Body>(kind: 'top-up' | 'play-money', path: string): AskOnce<Body> {
  const { api } = usePortal();
  const attempt = useAttempt(kind);
  const ask = async (amountMinor: bigint): Promise<Asked<Body>> => {
    const { key, isRepeat } = attempt.begin(`${amountMinor}`);
    const reply: Reply<Body> = await api.send('POST', path, {
      json: { amountMinor: `${amountMinor}` },
      headers: { 'idempotency-key': key },
      timeoutMs: 15_000,
    });
    if (!reply.ok && leavesUnknown(reply, isRepeat)) {
      attempt.stillUnknown();
      return { outcome: 'unknown' };
    }
    attempt.end();
    if (reply.ok) return { outcome: 'done', body: reply.body };
    const { status, message } = reply;
    return { outcome: 'refused', message: isRepeat && status === 422 ? cameThrough : message };
  };
  return { ask, lost: attempt.lost };
}

/** Shown when the key was used with another amount before. */
const cameThrough =
  'Your earlier request was successful, so this one was not executed. Check the statement, then ask again if you need more.';
