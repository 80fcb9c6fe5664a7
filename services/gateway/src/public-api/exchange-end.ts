/**
 * How a forwarded request may end early, once a short body has arrived or while a long one arrives. The service's time starts when the
 * body has arrived (decision 23, deadlines and outages), because a slow upload has its own limit. The breaker counts only what the service
 * is the cause of.
 *
 * | What happens | The caller gets | Breaker |
 * |---|---|---|
 * | the caller leaves, before or within the reply | nothing | does not count it |
 * | the upload breaks or stalls | 400 or 408, from the platform | does not count it |
 * | the caller reads nothing for too long | a cut connection | does not count it |
 * | the service answers nothing, or only a part of a short reply | 503 | counts it |
 * | the service breaks off or is too slow within a long reply | a cut connection | counts it |
 * | the service stops reading the upload, or fails while it reads | 503 | does not count it: the upload may be the cause |
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PassThrough } from 'node:stream';
import { CallersFault } from './upstream.ts';

/**
 * The service itself answers when its time is over; the gateway waits this much longer, well within 3 s (decision 23, deadlines and
 * outages).
 */
export const graceMs = 250;
/** As long as any call that creates nothing (decision 23, deadlines and outages). */
const notReadingMs = 2_000;
/** The service's time does not run while the caller reads nothing; after this long the caller is disconnected. */
const usualLongestReadMs = 60_000;

export type End = {
  readonly reason: Error | undefined;
  /** @throws the reason for which the exchange has ended already */
  readonly check: () => void;
  /** @param listener is called once, with the reason, when the exchange ends early */
  readonly onEarly: (listener: (reason: Error) => void) => void;
  /** The service's time does not run until the caller has read what was written. */
  readonly untilCallerReads: (then: () => void) => void;
  readonly lift: () => void;
};

export function startEnd(
  req: IncomingMessage,
  res: ServerResponse,
  o: {
    /** A long body. */
    readonly body: PassThrough | null;
    readonly budgetMs: number;
    readonly longestReadMs: number | undefined;
  },
): End {
  const { body, budgetMs, longestReadMs = usualLongestReadMs } = o;
  let reason: Error | undefined;
  let tell: ((reason: Error) => void) | undefined;
  let heldUpMs = 0;
  let heldUpSinceMs: number | undefined;
  let budget: NodeJS.Timeout | undefined;
  let stuck: NodeJS.Timeout | undefined;

  function giveUp(why: Error): void {
    if (reason !== undefined) return;
    reason = why;
    tell?.(why);
  }
  const onClose = () => giveUp(new CallersFault('the connection closed'));
  const startBudget = () => {
    const startedAtMs = performance.now();
    const onExpiry = () => {
      const nowMs = performance.now();
      const tookMs = nowMs - startedAtMs;
      const delayedMs = heldUpMs + (heldUpSinceMs === undefined ? 0 : nowMs - heldUpSinceMs);
      const leftMs = budgetMs - (tookMs - delayedMs);
      // A timer may fire a fraction of a millisecond early.
      if (leftMs < 1) giveUp(new Error('no reply within the budget'));
      // Half a reply cannot be taken back, so the connection ends.
      else if (tookMs >= longestReadMs) res.destroy();
      else budget = setTimeout(onExpiry, Math.max(leftMs, graceMs));
    };
    budget = setTimeout(onExpiry, budgetMs);
  };
  const onPause = () => {
    stuck = setTimeout(giveUp, notReadingMs, new Error('the body is not being read'));
  };
  const onResume = () => clearTimeout(stuck);

  // Also after a reply was sent: the platform answers a broken upload, and the service's reply is no longer needed.
  res.on('close', onClose);
  if (body === null || req.complete) startBudget();
  else req.once('end', startBudget);
  if (body !== null) req.on('pause', onPause).on('resume', onResume);
  return {
    get reason() {
      return reason;
    },
    check: () => {
      // The platform has answered for a broken request body meanwhile, and a second end would be an error.
      if (res.writableEnded) onClose();
      if (reason !== undefined) throw reason;
    },
    onEarly: (listener) => {
      tell = listener;
      if (reason !== undefined) listener(reason);
    },
    untilCallerReads: (then) => {
      const sinceMs = (heldUpSinceMs = performance.now());
      res.once('drain', () => {
        heldUpMs += performance.now() - sinceMs;
        heldUpSinceMs = undefined;
        then();
      });
    },
    lift: () => {
      clearTimeout(budget);
      clearTimeout(stuck);
      res.off('close', onClose);
      if (body !== null) req.off('end', startBudget).off('pause', onPause).off('resume', onResume);
    },
  };
}
