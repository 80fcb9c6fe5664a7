/** Where V8 keeps what a process allocates, and collecting garbage at a moment of our choice. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/**
 * Blocks the thread: `major` takes some 50 to 120 ms of processor, less of them in this thread. V8 itself collects only after many
 * allocations. So an idle process would keep what its start has left behind: 20 to 30 MB, and more if it has read many rows.
 */
export const collectGarbage = runInNewContext('gc') as (o: { readonly type: 'minor' | 'major' }) => void;

/**
 * For a process that serves many requests or reads many rows. They outlive some collections of young objects, so V8 would take all later
 * ones for long-lived: it would put them where only a slow collection finds them, and need a tenth to a half more of the processor.
 */
export function expectShortLives(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
