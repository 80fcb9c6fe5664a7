/** Reloads the file of the emergency tokens, so that a removed person is signed out without a restart. */

import { readSecretFile } from '@offer-ads/platform/config/secret-files';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { nobody, parseStaff, type Staff } from './staff.ts';

/** The file is read at most once in this time. */
const READ_EVERY_MS = 1_000;

/** While the file cannot be read or is wrong nobody is staff: a mistake there lets nobody in, or stay. */
export function followStaffFile(o: { path: string; clock: Clock; logger: Logger }): () => Staff {
  let staff = nobody;
  let readAtMs = -Infinity;
  let text: string | undefined;
  let problem: string | undefined;
  return () => {
    const nowMs = o.clock.now().getTime();
    if (nowMs - readAtMs < READ_EVERY_MS) return staff;
    readAtMs = nowMs;
    const file = readSecretFile(o.path);
    if (file.ok && file.text === text) return staff;
    const parsed = file.ok ? parseStaff(file.text) : file;
    text = file.ok ? file.text : undefined;
    staff = parsed.ok && 'staff' in parsed ? parsed.staff : nobody;
    const found = parsed.ok ? undefined : parsed.problem;
    if (found !== undefined && found !== problem)
      o.logger.error(
        { problem: `CONSOLE_BREAK_GLASS_FILE: ${found}` },
        'nobody can sign in with an emergency token',
      );
    problem = found;
    return staff;
  };
}
