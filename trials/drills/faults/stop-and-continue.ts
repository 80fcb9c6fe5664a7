/** Stops a process for a while, again and again, as on a machine that has no processor left for it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DrillSystem } from '../system.ts';

export function stopAndContinue(
  { repeat, pidOf }: DrillSystem,
  service: string,
  { stoppedMs, runningMs }: { stoppedMs: number; runningMs: number },
): void {
  repeat(runningMs, async () => {
    const pid = pidOf(service);
    process.kill(pid, 'SIGSTOP');
    // It continues whatever happens: a stopped process cannot even end in order.
    await pause(stoppedMs).finally(() => process.kill(pid, 'SIGCONT'));
  });
}
