/** The service as processes of their own, to be killed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { form } from '../forms.ts';
import type { OffersUnderTest } from '../offers-under-test.ts';

/** On a machine that is too busy for a creation nothing is gained by more of them. */
const MOST_TRIES = 3;

const ASK_AGAIN_AFTER_MS = 100;

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

type Question = { organisationId: number; headers: Record<string, string>; body?: FormData };

export type Victim = {
  /**
   * What the process is asked. Resolves when the connection breaks under it; an answer is not wanted. After a 503, which a call
   * that stands still ends in, it is asked again, as clients do.
   */
  readonly ask: (method: 'POST' | 'DELETE', path: string, question: Question) => Promise<void>;
  /** Asked once, as the gateway does: 503 when no answer came in time. */
  readonly send: (
    method: string,
    path: string,
    question: Question & { readonly withinMs: number },
  ) => Promise<{ readonly status: number; readonly headers: Headers }>;
  readonly standStill: () => void;
  /** Resolves when it has done whatever waited for it. */
  readonly goOn: () => Promise<void>;
  readonly kill: () => Promise<void>;
};

/** Also those that are still starting. */
const started = new Set<Promise<ServiceProcess>>();

/** For the end of a test file: none outlives it, however it ended. */
export async function killVictims(): Promise<void> {
  for (const start of await Promise.allSettled(started))
    if (start.status === 'fulfilled') await start.value.kill();
  started.clear();
}

/** Its clock is the real one: tokens are good for it whatever the test's clock says. */
export async function startVictim(under: OffersUnderTest): Promise<Victim> {
  const name = `victim ${randomUUID()}`;
  const database = new URL(under.config.OFFERS_DATABASE_URL);
  database.searchParams.set('application_name', name);
  const settings = Object.entries({
    ...under.config,
    OFFERS_DATABASE_URL: database.href,
    LOG_LEVEL: 'info',
  });
  const env = Object.fromEntries(settings.map(([name, value]) => [name, `${value}`]));
  const starting = startServiceProcess(main, env);
  started.add(starting);
  const victim = await starting;
  const send = (
    method: string,
    path: string,
    { organisationId, headers, body }: Question,
    signal: AbortSignal | null = null,
  ) => {
    const caller = signedCaller({ audience: 'offers', organisationId });
    const init = { method, signal, headers: { ...caller, ...headers }, ...(body !== undefined && { body }) };
    return fetch(victim.url + path, init);
  };
  await warmUp(async () => (await send('POST', '/offers', await aCreation())).status === 200);
  return {
    ask: async (method, path, question) => {
      for (;;) {
        const answer = await send(method, path, question).catch(() => null);
        if (answer === null) return;
        const text = await answer.text().catch(() => '');
        if (answer.status !== 503) throw new Error(`answered ${answer.status} ${text}`);
        await pause(ASK_AGAIN_AFTER_MS);
      }
    },
    send: async (method, path, { withinMs, ...question }) => {
      const signal = AbortSignal.timeout(withinMs);
      const answer = await send(method, path, question, signal).catch(() => null);
      await answer?.arrayBuffer();
      return answer ?? { status: 503, headers: new Headers() };
    },
    standStill: () => void victim.child.kill('SIGSTOP'),
    goOn: async () => {
      victim.child.kill('SIGCONT');
      // Requests that waited were read before this one. What they began has ended when its connections are idle.
      await eventually(async () => expect((await fetch(`${victim.url}/readyz`)).status).toBe(200));
      await eventually(async () => expect(await busyConnections(under, name)).toEqual([]));
    },
    kill: victim.kill,
  };
}

/**
 * The first creation takes a process several times as long as the next ones, and a call that stands still is given up after two
 * seconds: so long the others have to get to where they are to stand still, too.
 */
async function warmUp(create: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) if (await create()) return;
}

async function busyConnections({ postgres }: OffersUnderTest, name: string): Promise<unknown[]> {
  return postgres.query(
    "SELECT state, query FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
    [name],
  );
}

/** Of an organisation of its own. */
async function aCreation(): Promise<Question> {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const body = await form({ start_datetime: inHours(1), expiry_datetime: inHours(2) });
  return { organisationId: 999_999, headers: { 'Idempotency-Key': randomUUID() }, body };
}
