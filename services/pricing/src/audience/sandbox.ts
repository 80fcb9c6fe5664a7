/** Counts generated members, with either engine for the real ones: they are few enough for every replica's memory. */

import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { startAudienceBuild } from '../audience-index/audience-index.ts';
import { sandboxMembers, sandboxTarget } from '../domain/members/sandbox.ts';
import type { AudienceEngine } from './audience-engine.ts';

export async function openSandbox(o: {
  readonly members: number;
  /** As for real members. */
  readonly positionDecimals: number;
}): Promise<AudienceEngine> {
  const build = startAudienceBuild(o.members);
  for (const member of sandboxMembers(o.members))
    build.add({ ...member, ...coarsePosition(member, o.positionDecimals) });
  const index = await build.finish();
  return { count: async (target) => index.count(sandboxTarget(target)) };
}
