/** The service as a process of its own, killed in the middle of a creation; another replica ends what it began. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { form } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const LEASE_MS = 31_000;
const ABANDONED_MS = 61_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.neighbours.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
});

type Victim = { readonly url: string; readonly process: ChildProcess };

/** Its clock is the real one, and so the others' is set to it: tokens carry the time. */
async function startVictim(): Promise<Victim> {
  under.clock.set(new Date());
  const settings = Object.entries({ ...under.config, LOG_LEVEL: 'info' });
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: Object.fromEntries(settings.map(([name, value]) => [name, `${value}`])),
  });
  for await (const line of createInterface(child.stdout)) {
    const { address } = JSON.parse(line) as { address?: string };
    if (address !== undefined) {
      child.stdout.resume();
      return { url: address, process: child };
    }
  }
  throw new Error('the process ended before it listened');
}

async function kill(victim: Victim): Promise<void> {
  const exited = once(victim.process, 'exit');
  victim.process.kill('SIGKILL');
  await exited;
}

function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}

/** Each gets the victim to be killed at its moment of the creation. */
const moments = {
  'before it was checked': (die: () => Promise<void>) => {
    under.neighbours.pricing.onAsked = die;
  },
  'before the charge was made': (die: () => Promise<void>) => {
    under.neighbours.billing.onSale = async () => {
      await die();
      throw new Error('the charge never came');
    };
  },
  'after the charge was made': (die: () => Promise<void>) => {
    under.neighbours.billing.onSold = die;
  },
};

describe.each(Object.keys(moments) as (keyof typeof moments)[])('a process killed %s', (moment) => {
  async function dieInTheMiddle(key: string, body: FormData): Promise<void> {
    const victim = await startVictim();
    const { pricing, billing } = under.neighbours;
    moments[moment](async () => {
      // Only the victim dies of it.
      Object.assign(pricing, { onAsked: async () => {} });
      Object.assign(billing, { onSale: async () => {}, onSold: async () => {} });
      await kill(victim);
    });
    const headers = { ...signedCaller({ audience: 'offers' }), 'Idempotency-Key': key };
    await expect(fetch(`${victim.url}/offers`, { method: 'POST', headers, body })).rejects.toThrow(
      'fetch failed',
    );
    under.clock.set(new Date());
  }
  const parts = { start_datetime: inHours(1), expiry_datetime: inHours(11) };

  it('leaves one offer and one charge when the client tries again', async () => {
    const key = randomUUID();
    await dieInTheMiddle(key, await form(parts));
    under.clock.advance(LEASE_MS);
    const answer = await under.call('POST', '/offers', {
      body: await form(parts),
      headers: { 'Idempotency-Key': key },
    });
    expect(answer.body).toMatchObject({ return_code: 'S1' });
    expect(under.neighbours.billing.charges()).toBe(1);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
  });

  it('leaves one offer and one charge, or none of both, when nobody does', async () => {
    await dieInTheMiddle(randomUUID(), await form(parts));
    under.clock.advance(LEASE_MS + ABANDONED_MS);
    await under.offers.sweeper.recover();
    const shown = await under.postgres.query('SELECT 1 FROM offers WHERE shown_at IS NOT NULL');
    expect(shown).toHaveLength(moment === 'after the charge was made' ? 1 : 0);
    expect(under.neighbours.billing.charges()).toBe(shown.length);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(shown.length);
    expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toHaveLength(shown.length);
  });
});
