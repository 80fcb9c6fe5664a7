/** Builds grids in a thread, so that counts go on meanwhile. The thread hands the grid over without copying it. */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { CountedMember } from '../members/member-document.ts';
import type { Grid } from './grid.ts';

/** What the thread gets at its start: an older grid, to which it adds the members that it is sent; or where it reads all of them. */
export type BuildTask = { readonly older: Grid } | { readonly mongoUrl: string };
/** Sent to the thread; null: there are no more. */
export type BuildInput = readonly CountedMember[] | null;
export type BuildUpdate =
  | { readonly read: number; readonly expected: number }
  | { readonly unreadable: number }
  | { readonly grid: Grid };

export type BuildProgress = {
  readonly onRead: (read: number, expected: number) => void;
  readonly onUnreadable: (documents: number) => void;
};

/** Copying so many takes a fraction of a millisecond. */
const SENT_AT_ONCE = 100;

/**
 * @param members added to an older grid; those that it has with older facts must be erased from it
 * @throws the error of the thread, for example a RangeError if memory does not suffice
 */
export async function buildInThread(
  task: BuildTask,
  members: Iterable<CountedMember>,
  o: { readonly signal: AbortSignal } & Partial<BuildProgress>,
): Promise<Grid> {
  o.signal.throwIfAborted();
  // The thread needs no settings of the service, and no flags that load something into it.
  const thread = new Worker(new URL('./build-thread.ts', import.meta.url), {
    workerData: task,
    env: {},
    execArgv: [],
  });
  const built = Promise.withResolvers<Grid>();
  // It may fail while members are still being sent, when nothing waits for it yet.
  built.promise.catch(() => {});
  const stop = () => built.reject(o.signal.reason);
  o.signal.addEventListener('abort', stop);
  thread.on('error', built.reject);
  thread.on('messageerror', built.reject);
  thread.on('exit', (code) => built.reject(new Error(`the thread that builds a grid ended with ${code}`)));
  thread.on('message', (update: BuildUpdate) => {
    if ('grid' in update) built.resolve(update.grid);
    else if ('read' in update) o.onRead?.(update.read, update.expected);
    else o.onUnreadable?.(update.unreadable);
  });
  try {
    for await (const piece of inPieces(members)) thread.postMessage(piece satisfies BuildInput);
    thread.postMessage(null satisfies BuildInput);
    return await built.promise;
  } finally {
    o.signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

async function* inPieces(members: Iterable<CountedMember>): AsyncGenerator<readonly CountedMember[]> {
  let piece: CountedMember[] = [];
  for (const member of members) {
    piece.push(member);
    if (piece.length < SENT_AT_ONCE) continue;
    yield piece;
    piece = [];
    await afterOtherWork();
  }
  yield piece;
}
