/** Counts made-up members, whichever engine counts the real ones: these are few enough for the memory of any replica. */

import type { AudienceEngine } from './audience-engine.ts';
import { startAudienceBuild } from './audience-index/audience-index.ts';
import { sandboxMembers, sandboxTarget } from './domain/sandbox.ts';

export async function openSandbox(members: number): Promise<AudienceEngine> {
  const build = startAudienceBuild(members);
  for (const member of sandboxMembers(members)) build.add(member);
  const index = await build.finish();
  return { count: async (target) => index.count(sandboxTarget(target)) };
}
