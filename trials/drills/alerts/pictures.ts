/** The pictures of offers. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { signedCaller } from '@offer-ads/testing/caller';
import { type Drills, elsewhere } from '../drill.ts';
import { newPicture } from '../faults/traffic.ts';
import type { DrillSystem } from '../system.ts';

const UPLOADERS = 6;

export const pictures: Drills = {
  /** Moderation is stopped for six seconds out of eight, as on a machine without free processor time. */
  ModerationSlow: {
    cause: async (system) => {
      for (let uploader = 0; uploader < UPLOADERS; uploader += 1) system.repeat(100, () => upload(system));
      await pause(3_000);
      system.stopAndContinue('moderation', { stoppedMs: 6_000, runningMs: 2_000 });
    },
    mend: [elsewhere('the processes have a processor again', ({ stopRepeating }) => stopRepeating())],
  },
  /** The process that opens pictures is killed, as when its memory runs out. */
  PictureProcessDying: {
    cause: async ({ repeat, pidOf }) =>
      repeat(2_000, async () => {
        for (const child of childrenOf(pidOf('moderation'))) process.kill(child, 'SIGKILL');
      }),
    mend: [elsewhere('nothing ends the process any more', ({ stopRepeating }) => stopRepeating())],
  },
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

/** The children of the first thread, which starts all of them. Linux only. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
