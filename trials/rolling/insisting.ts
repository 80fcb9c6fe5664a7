/** A caller as the documents ask for: waits as long as `Retry-After` says, and sends the same again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Tally } from './tally.ts';

export type Answer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** An earlier try may have done the work already. */
  readonly repeated: boolean;
};

/**
 * What a round allows beside a 503 with `Retry-After`: that nothing listens at the gateway, that a process dies under a request, whose
 * repetition is then told by a 409 with `Retry-After` to come again.
 */
export type Allowance = { readonly refused: boolean; readonly broken: boolean };

export type Insisting = (
  route: string,
  url: string,
  init?: () => RequestInit,
  /** Whether a status is one of those that must come. */
  expects?: (answer: Answer) => boolean,
) => Promise<Answer>;

const giveUpAfterMs = 90_000;
const usualPauseMs = 500;

export function createInsisting(o: { tally: Tally; allowance: () => Allowance }): Insisting {
  const { tally } = o;
  return async (route, url, init = () => ({}), expects = ({ status }) => status === 200) => {
    const giveUpAt = performance.now() + giveUpAfterMs;
    for (let repeated = false; ; repeated = true) {
      const sentAt = performance.now();
      const passed = () => performance.now() - sentAt;
      try {
        const reply = await fetch(url, { redirect: 'manual', ...init() });
        const body = await readBody(reply);
        const seconds = reply.headers.get('retry-after');
        const answer = { status: reply.status, body, repeated };
        // The key of a creation whose process died is held for half a minute, in case that it is only slow.
        const isHeld = reply.status === 409 && repeated && o.allowance().broken;
        if ((reply.status === 503 || isHeld) && seconds !== null) {
          tally.count(route, `${reply.status} with Retry-After`, passed());
          await pause(Number(seconds) * 1_000);
        } else {
          tally.count(route, `${reply.status}`, passed());
          if (expects(answer)) return answer;
          tally.fail(`${route} answered ${reply.status} ${JSON.stringify(body).slice(0, 200)}`);
          await pause(usualPauseMs);
        }
      } catch (error) {
        const why = codeOf(error);
        tally.count(route, why, passed());
        const { refused, broken } = o.allowance();
        if (!(why === 'ECONNREFUSED' ? refused : broken)) tally.fail(`${route}: ${why}`);
        await pause(usualPauseMs);
      }
      if (performance.now() > giveUpAt) throw new Error(`${route} does not work any more`);
    }
  };
}

async function readBody(reply: Response): Promise<Record<string, unknown>> {
  const isJson = reply.headers.get('content-type')?.includes('json') === true;
  if (!isJson) {
    const bytes = (await reply.arrayBuffer()).byteLength;
    return { bytes, location: reply.headers.get('location') };
  }
  return (await reply.json()) as Record<string, unknown>;
}

/** `fetch` hides why behind "fetch failed". */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? String(error);
}
