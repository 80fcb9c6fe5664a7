/** How long the disk takes to make 8 KiB durable, as Postgres's pg_test_fsync measures it. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export function syncTimesMs(folder: string, seconds: number): number[] {
  const path = join(folder, 'disk-probe');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(8_192, 1);
  const times: number[] = [];
  try {
    // The same blocks are overwritten, like the log, so that no new ones must be allocated.
    for (const giveUpAt = performance.now() + seconds * 1_000; performance.now() < giveUpAt; ) {
      const began = performance.now();
      writeSync(file, block, 0, block.length, 0);
      fdatasyncSync(file);
      times.push(performance.now() - began);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return times;
}
