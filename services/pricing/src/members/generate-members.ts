/** Fills the store with generated members, for development and measurements. */
import { generateMembers } from '../domain/members/generated-members.ts';
import type { MemberChange } from './members-store.ts';

const BATCH = 1_000;

/** The same count and seed restore the same members, even if these were changed meanwhile. */
export async function storeGeneratedMembers(o: {
  count: number;
  seed: number;
  now: Date;
  write: (changes: readonly MemberChange[]) => Promise<unknown>;
}): Promise<void> {
  const version = { atLeast: o.now.getTime() };
  let batch: MemberChange[] = [];
  for (const facts of generateMembers(o)) {
    batch.push({ facts, version });
    if (batch.length < BATCH) continue;
    await o.write(batch);
    batch = [];
  }
  await o.write(batch);
}
