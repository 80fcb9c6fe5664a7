/** The service as processes of their own, to be killed or stopped for a while. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { form } from '../forms.ts';
import type { OffersUnderTest } from '../offers-under-test.ts';

const WARM_UP_TRIES = 3;
const ASK_AGAIN_AFTER_MS = 100;

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

type Question = { organisationId: number; headers: Record<string, string>; body?: FormData | string };

export type Victim = {
  /** Resolves when the connection breaks, because the process was killed. After a 503 it asks again, as clients do. Any answer is an error. */
  readonly ask: (method: 'POST' | 'PATCH' | 'DELETE', path: string, question: Question) => Promise<void>;
  /** Asks once, as the gateway does: 503 when no answer came in time. */
  readonly send: (
    method: string,
    path: string,
    question: Question & { readonly withinMs: number },
  ) => Promise<{ readonly status: number; readonly headers: Headers }>;
  /** Stops the process as it is (SIGSTOP). */
  readonly stop: () => void;
  /** Lets it go on; resolves when it has finished the requests that waited. */
  readonly goOn: () => Promise<void>;
  readonly kill: () => Promise<void>;
};

/** Includes those that are still starting. */
const started = new Set<Promise<ServiceProcess>>();

/** For the end of a test file: no process outlives it. */
export async function killVictims(): Promise<void> {
  for (const start of await Promise.allSettled(started))
    if (start.status === 'fulfilled') await start.value.kill();
  started.clear();
}

/** Its clock is the real one. */
export async function startVictim(under: OffersUnderTest): Promise<Victim> {
  const name = `victim ${randomUUID()}`;
  const database = new URL(under.config.OFFERS_DATABASE_URL);
  database.searchParams.set('application_name', name);
  const settings = Object.entries({
    ...under.config,
    OFFERS_DATABASE_URL: database.href,
    LOG_LEVEL: 'info',
  });
  const starting = startServiceProcess(
    main,
    Object.fromEntries(settings.map(([key, value]) => [key, `${value}`])),
  );
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
  // The first creation of a process takes several times as long as the next ones. A call that stands still ends after two seconds, and
  // within this time all other requests must reach their points.
  for (let tries = 0; tries < WARM_UP_TRIES; tries += 1)
    if ((await send('POST', '/offers', await creationOfOthers())).status === 200) break;
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
    stop: () => void victim.child.kill('SIGSTOP'),
    goOn: async () => {
      victim.child.kill('SIGCONT');
      // The process reads waiting requests before this one. Their work has ended when its connections are idle.
      await eventually(async () => expect((await fetch(`${victim.url}/readyz`)).status).toBe(200));
      await eventually(async () =>
        expect(
          await under.postgres.query(
            "SELECT state, query FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
            [name],
          ),
        ).toEqual([]),
      );
    },
    kill: victim.kill,
  };
}

async function creationOfOthers(): Promise<Question> {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const body = await form({ start_datetime: inHours(1), expiry_datetime: inHours(2) });
  return { organisationId: 999_999, headers: { 'Idempotency-Key': randomUUID() }, body };
}
