import { setTimeout as pause } from 'node:timers/promises';
import { signedCaller } from '@offer-ads/testing/caller';
import { type Drill, elsewhere } from '../../drill.ts';
import { stopAndContinue } from '../../faults/stop-and-continue.ts';
import { newPicture } from '../../faults/traffic.ts';
import type { DrillSystem } from '../../system.ts';

const UPLOADERS = 6;

/** Moderation is stopped for six seconds out of eight, as on a machine without free processor time. */
export const moderationSlow: Drill = {
  alert: 'ModerationSlow',
  cause: async (system) => {
    for (let uploader = 0; uploader < UPLOADERS; uploader += 1) system.repeat(100, () => upload(system));
    await pause(3_000);
    stopAndContinue(system, 'moderation', { stoppedMs: 6_000, runningMs: 2_000 });
  },
  mend: [elsewhere('the processes have a processor again', ({ stopRepeating }) => stopRepeating())],
};

async function upload({ addresses, secrets }: DrillSystem): Promise<void> {
  const reply = await fetch(`${addresses.moderation}/internal/verdicts`, {
    method: 'POST',
    headers: {
      ...signedCaller({ audience: 'moderation' }, secrets().moderationContext),
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(await newPicture()),
    signal: AbortSignal.timeout(30_000),
  });
  await reply.body?.cancel();
}
