/** The service as processes of their own, to be killed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signedCaller } from '@offer-ads/testing/caller';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { form } from './forms.ts';
import type { OffersUnderTest } from './offers-under-test.ts';

/** On a machine that is too busy for a creation nothing is gained by more of them. */
const MOST_TRIES = 3;

const ASK_AGAIN_AFTER_MS = 100;

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

type Question = { organisationId: number; headers: Record<string, string>; body?: FormData };

export type Victim = {
  /**
   * What the process is asked. Resolves when the connection breaks under it; an answer is not wanted. After a 503, which a call
   * that stands still ends in, it is asked again, as clients do.
   */
  readonly ask: (method: 'POST' | 'DELETE', path: string, question: Question) => Promise<void>;
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
  const settings = Object.entries({ ...under.config, LOG_LEVEL: 'info' });
  const env = Object.fromEntries(settings.map(([name, value]) => [name, `${value}`]));
  const starting = startServiceProcess(main, env);
  started.add(starting);
  const victim = await starting;
  const send = (method: string, path: string, { organisationId, headers, body }: Question) => {
    const caller = signedCaller({ audience: 'offers', organisationId });
    const init = { method, headers: { ...caller, ...headers }, ...(body !== undefined && { body }) };
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

/** Of an organisation of its own. */
async function aCreation(): Promise<Question> {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const body = await form({ start_datetime: inHours(1), expiry_datetime: inHours(2) });
  return { organisationId: 999_999, headers: { 'Idempotency-Key': randomUUID() }, body };
}
