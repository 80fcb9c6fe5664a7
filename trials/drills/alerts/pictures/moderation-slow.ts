import { setTimeout as pause } from 'node:timers/promises';
import { signedCaller } from '@offer-ads/testing/caller';
import { type Drill, elsewhere } from '../../drill.ts';
import { stutter } from '../../faults/stutter.ts';
import { picture } from '../../faults/traffic.ts';
import type { DrillSystem } from '../../system.ts';

const UPLOADERS = 6;

/** Moderation stands still for six seconds out of eight, as a process without a processor does. */
export const moderationSlow: Drill = {
  alert: 'ModerationSlow',
  cause: async (system) => {
    for (let uploader = 0; uploader < UPLOADERS; uploader += 1) system.keepDoing(100, () => upload(system));
    await pause(3_000);
    stutter(system, 'moderation', { stillMs: 6_000, runMs: 2_000 });
  },
  mend: [elsewhere('the processes have a processor again', ({ stopDoing }) => stopDoing())],
};

async function upload({ addresses, secrets }: DrillSystem): Promise<void> {
  const reply = await fetch(`${addresses.moderation}/internal/verdicts`, {
    method: 'POST',
    headers: {
      ...signedCaller({ audience: 'moderation' }, secrets().moderationContext),
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(await picture()),
    signal: AbortSignal.timeout(30_000),
  });
  await reply.body?.cancel();
}
