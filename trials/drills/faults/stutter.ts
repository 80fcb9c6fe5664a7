/** A process that stands still again and again, as on a machine that has no processor left for it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DrillSystem } from '../system.ts';

export function stutter(
  { keepDoing, pidOf }: DrillSystem,
  service: string,
  { stillMs, runMs }: { stillMs: number; runMs: number },
): void {
  keepDoing(runMs, async () => {
    const pid = pidOf(service);
    process.kill(pid, 'SIGSTOP');
    // It goes on whatever happens: a process that stands still cannot even be stopped in order.
    await pause(stillMs).finally(() => process.kill(pid, 'SIGCONT'));
  });
}
