/** Waits, after the faults, until the services have nothing left to do. */
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { runRounds } from './cause-fault.ts';
import type { World } from './world.ts';

/** Longer than every lease, and than the sweeper leaves a creation to its client. */
const EVERYTHING_ABANDONED_MS = 200_000;
const IDLE_WITHIN_MS = 90_000;

/** Resolves when no creation, deletion, event or message is waiting. It moves the clock, on a busy machine by many hours. */
export async function waitUntilIdle(world: World): Promise<void> {
  world.moderation.takesMs = 0;
  await world.setStripeFaults({});
  await eventually(
    async () => {
      world.clock.advance(EVERYTHING_ABANDONED_MS);
      await runRounds(world);
      await world.broker.retryNow('offers', 'billing');
      const waiting = [...(await listWork(world)), ...(await listParked(world))];
      if (waiting.length > 0) throw new Error(`still waiting: ${waiting.join(', ')}`);
    },
    { timeoutMs: IDLE_WITHIN_MS },
  );
}

/** Parked events wait for a person, so they are a failure here. */
async function listParked(world: World): Promise<string[]> {
  const parked = await Promise.all(
    (['offers', 'billing'] as const).map(async (service) => {
      const reply = await (await world.admin(service, 'GET', '/admin/parked')).json();
      return (reply as { parked: object[] }).parked.map(
        (event) => `${service} parked ${JSON.stringify(event)}`,
      );
    }),
  );
  return parked.flat();
}

async function listWork({ stores, broker }: World): Promise<string[]> {
  const count = async (store: keyof typeof stores, from: string) => {
    const [row] = await stores[store].query<{ count: bigint }>(`SELECT count(*) FROM ${from}`);
    return Number(row?.count);
  };
  const counts = {
    'running creations': await count('offers', "idempotency_keys WHERE recovery_point <> 'finished'"),
    'running deletions': await count('offers', 'offers WHERE deleting_since IS NOT NULL'),
    'pages to be opened again': await count('offers', 'offers WHERE keeping_since IS NOT NULL'),
    'running closings': await count('billing', "payments WHERE state = 'closing'"),
    'events of offers': (await count('offers', 'outbox')) + (await broker.waiting('billing')),
    'events of billing': (await count('billing', 'outbox')) + (await broker.waiting('offers')),
  };
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []));
}
