import { readFileSync } from 'node:fs';
import { type Drill, elsewhere } from '../../drill.ts';

/** The process that opens pictures is killed, as when its memory runs out. */
export const pictureProcessDying: Drill = {
  alert: 'PictureProcessDying',
  cause: async ({ repeat, pidOf }) =>
    repeat(2_000, async () => {
      for (const child of childrenOf(pidOf('moderation'))) process.kill(child, 'SIGKILL');
    }),
  mend: [elsewhere('nothing ends the process any more', ({ stopRepeating }) => stopRepeating())],
};

/** The children of the first thread, which starts all of them. Linux only. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
