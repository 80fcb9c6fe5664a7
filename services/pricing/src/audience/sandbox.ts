/** Counts made-up members, whichever engine counts the real ones: these are few enough for the memory of any replica. */

import { startAudienceBuild } from '../audience-index/audience-index.ts';
import { coarsePosition } from '../domain/members/coarse-position.ts';
import { sandboxMembers, sandboxTarget } from '../domain/members/sandbox.ts';
import type { AudienceEngine } from './audience-engine.ts';

export async function openSandbox(o: {
  readonly members: number;
  /** As positions of real members are rounded. */
  readonly positionDecimals: number;
}): Promise<AudienceEngine> {
  const build = startAudienceBuild(o.members);
  for (const member of sandboxMembers(o.members))
    build.add({ ...member, ...coarsePosition(member, o.positionDecimals) });
  const index = await build.finish();
  return { count: async (target) => index.count(sandboxTarget(target)) };
}
