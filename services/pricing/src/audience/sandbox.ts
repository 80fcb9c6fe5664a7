/** Counts generated members, with either engine for the real ones: they are few enough for every replica's memory. */
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { sandboxMembers, sandboxTarget } from '../domain/members/sandbox.ts';
import type { AudienceEngine } from './audience.ts';
import { startGridBuild } from './build-grid.ts';
import { openLiveGrid } from './live-grid.ts';

export function openSandbox(members: number): AudienceEngine {
  const build = startGridBuild();
  for (const member of sandboxMembers(members)) build.add({ ...member, ...coarsePosition(member) });
  const grid = openLiveGrid(build.finish());
  return { count: async (target) => grid.count(sandboxTarget(target)) };
}
