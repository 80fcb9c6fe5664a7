/** What tests of the API cannot show. */
import { expect, it } from '@jest/globals';
import type { OffersContext } from '../context.ts';
import { recoverCreations } from './recovery.ts';

it('a run whose search fails ends only after the creations that it has begun', async () => {
  const begun = Promise.withResolvers<void>();
  const atWork = Promise.withResolvers<unknown[]>();
  const row = {
    organisation_id: 1,
    mode: 'TEST',
    idempotency_key: 'k',
    recovery_point: 'received',
    fence: 1n,
  };
  let searches = 0;
  const postgres = {
    transaction: async (work: (tx: object) => Promise<unknown>) => {
      searches += 1;
      if (searches === 2) throw new Error('the database is away');
      return work({ query: async () => [row] });
    },
    // Fails when the key of the found creation is freed.
    query: () => {
      begun.resolve();
      return atWork.promise;
    },
  };
  const o = { postgres, clock: { now: () => new Date() } } as unknown as OffersContext;

  let ended = false;
  const run = recoverCreations(o, new AbortController().signal).finally(() => {
    ended = true;
  });
  run.catch(() => {});
  await begun.promise;
  // Many turns of the event loop after the fault.
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  expect([searches, ended]).toEqual([2, false]);
  atWork.resolve([row]);
  await expect(run).rejects.toThrow('the database is away');
});
