/** After the trouble: every wire whole, every service up, and nothing left to be done. */
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { sweep } from './trouble.ts';
import type { World } from './world.ts';

/** Past every lease, and past the sweeper's patience. */
const EVERYTHING_ABANDONED_MS = 200_000;
const SETTLED_WITHIN_MS = 90_000;

/** Resolves when neither a creation, a deletion, an event nor a message waits for anything. */
export async function becomeQuiet(world: World): Promise<void> {
  world.moderation.takesMs = 0;
  await world.setStripeFaults({});
  await eventually(
    async () => {
      world.clock.advance(EVERYTHING_ABANDONED_MS);
      await sweep(world);
      await world.broker.retryNow('offers', 'billing');
      const waiting = [...(await whatWaits(world)), ...(await whatIsParked(world))];
      if (waiting.length > 0) throw new Error(`still waiting: ${waiting.join(', ')}`);
    },
    { timeoutMs: SETTLED_WITHIN_MS },
  );
}

/** For a person to look at; there is nobody here, so it stays what keeps the system from being quiet. */
async function whatIsParked(world: World): Promise<string[]> {
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

async function whatWaits({ stores, broker }: World): Promise<string[]> {
  const count = async (store: keyof typeof stores, from: string) => {
    const [row] = await stores[store].query<{ count: bigint }>(`SELECT count(*) FROM ${from}`);
    return Number(row?.count);
  };
  const counts = {
    'creations under way': await count('offers', "idempotency_keys WHERE recovery_point <> 'finished'"),
    'deletions under way': await count('offers', 'offers WHERE deleting_since IS NOT NULL'),
    'pages to be opened again': await count('offers', 'offers WHERE keeping_since IS NOT NULL'),
    'closings under way': await count('billing', "offer_payments WHERE state = 'closing'"),
    'events of offers': (await count('offers', 'outbox')) + (await broker.waiting('billing')),
    'events of billing': (await count('billing', 'outbox')) + (await broker.waiting('offers')),
  };
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []));
}
