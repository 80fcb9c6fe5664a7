/** On what a figure was measured. */
import { availableParallelism, cpus, totalmem } from 'node:os';

export function machine(): string {
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${memoryGib} GiB`;
}
