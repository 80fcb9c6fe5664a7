/** The only way in which a test waits: until an assertion passes, or until a time-out. */
import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 5;
/** Long enough to leave the processor to the awaited work, and short enough to add little to a test. */
const LONGEST_PAUSE_MS = 50;

/** Long, because a machine that runs many tests may stop for seconds. A passing test does not wait for it. */
const USUAL_BOUND_MS = 30_000;

/** Tries the assertion until it passes. After the time-out it fails with the last error of the assertion. */
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
