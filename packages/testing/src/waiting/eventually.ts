/** The only way in which a test waits: until an assertion holds, and never longer than its bound. */
import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 5;
/** Long enough to leave the processor to what is waited for, short enough not to be felt. */
const LONGEST_PAUSE_MS = 50;

/** Nobody waits for it where all is well; a machine that runs many tests at once may stand still for seconds, again and again. */
const USUAL_BOUND_MS = 30_000;

/** Tries the assertion until it passes; at the bound it fails with the assertion's own last error. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = USUAL_BOUND_MS }: { timeoutMs?: number } = {},
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() + pauseMs > giveUpAt) throw error;
    }
    await pause(pauseMs);
  }
}
