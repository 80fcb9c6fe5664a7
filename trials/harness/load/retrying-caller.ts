/** A caller as the documents ask for: after a 503 it waits as long as `Retry-After` says, and sends the same request again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Tally } from './tally.ts';

export type Answer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** An earlier try may have done the work already. */
  readonly repeated: boolean;
};

/**
 * Faults that are allowed beside a 503 with `Retry-After`. `refused`: nothing listens at the gateway. `broken`: a process dies while it
 * has a request; the repeated request may then be answered 409 with `Retry-After`.
 */
export type Allowance = { readonly refused: boolean; readonly broken: boolean };

export type RetryingCaller = (
  route: string,
  url: string,
  init?: () => RequestInit,
  /** Whether the answer is one of those that must come. */
  expects?: (answer: Answer) => boolean,
) => Promise<Answer>;

const giveUpAfterMs = 90_000;
const usualPauseMs = 500;

export function createRetryingCaller({
  tally,
  allowance,
}: {
  tally: Tally;
  allowance: Allowance;
}): RetryingCaller {
  return async (route, url, init = () => ({}), expects = ({ status }) => status === 200) => {
    const giveUpAt = performance.now() + giveUpAfterMs;
    for (let repeated = false; ; repeated = true) {
      const sentAt = performance.now();
      const count = (outcome: string) => tally.count(route, outcome, performance.now() - sentAt);
      try {
        const reply = await fetch(url, { redirect: 'manual', ...init() });
        const body = await readBody(reply);
        const seconds = reply.headers.get('retry-after');
        const answer = { status: reply.status, body, repeated };
        // The key of a creation whose process died is held for half a minute, in case that it is only slow.
        const isHeld = reply.status === 409 && repeated && allowance.broken;
        if ((reply.status === 503 || isHeld) && seconds !== null) {
          count(`${reply.status} with Retry-After`);
          await pause(Number(seconds) * 1_000);
        } else {
          count(`${reply.status}`);
          if (expects(answer)) return answer;
          tally.fail(`${route} answered ${reply.status} ${JSON.stringify(body).slice(0, 200)}`);
          await pause(usualPauseMs);
        }
      } catch (error) {
        const why = codeOf(error);
        count(why);
        if (!(why === 'ECONNREFUSED' ? allowance.refused : allowance.broken)) tally.fail(`${route}: ${why}`);
        await pause(usualPauseMs);
      }
      if (performance.now() > giveUpAt) throw new Error(`${route} does not work any more`);
    }
  };
}

async function readBody(reply: Response): Promise<Record<string, unknown>> {
  if (reply.headers.get('content-type')?.includes('json') === true)
    return (await reply.json()) as Record<string, unknown>;
  await reply.arrayBuffer();
  return { location: reply.headers.get('location') };
}

/** `fetch` hides the reason behind "fetch failed". */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? String(error);
}
