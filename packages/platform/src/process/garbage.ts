/** Collecting garbage at a moment of our choice. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/**
 * Blocks the thread: `major` takes some 50 to 120 ms of processor, less of them in this thread. V8 itself collects only after many
 * allocations. So an idle process would keep what its start has left behind: 20 to 30 MB, and more if it has read many rows.
 */
export const collectGarbage = runInNewContext('gc') as (o: { readonly type: 'minor' | 'major' }) => void;
