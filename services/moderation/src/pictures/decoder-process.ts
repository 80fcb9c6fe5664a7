/**
 * The process that opens uploaded pictures. Native code that hangs or takes too much memory cannot be stopped in a thread, but a process
 * can be killed (decoder.ts). It has no secrets and no connections except the channel to the service.
 */
import {
  budgetMs,
  type Cleaned,
  type CleanPicture,
  type LookShape,
  type Problem,
  Unopenable,
} from './clean-picture.ts';
import { cleanPicture, looksAt, renditionOf } from './pictures.ts';
import { millisecondsOf, shareProcessorTime } from './processor-time.ts';
import { smallCopyOf } from './small-copy.ts';

export type Tasks = {
  readonly cleanPicture: (upload: Uint8Array) => Promise<Cleaned>;
  readonly looksAt: (picture: CleanPicture, shape?: LookShape) => Promise<readonly Uint8Array[]>;
  readonly smallCopyOf: (picture: CleanPicture) => Promise<Buffer>;
  /** A cleaned picture in this width, which is less than its own. */
  readonly renditionOf: (cleaned: Uint8Array, width: number) => Promise<Buffer>;
};
export type Request = {
  readonly id: number;
  readonly task: keyof Tasks;
  readonly args: readonly unknown[];
  /** Its memory is large enough to collect garbage afterwards. */
  readonly hasManyBytes: boolean;
};
/** Nobody waits for the task any more. It is still replied to, because it stops only between two steps. */
export type Abandonment = { readonly abandoned: number };
export type Reply = {
  readonly id: number;
  /** The processor time of the task. */
  readonly processorMs: number;
} & (
  | { readonly result: unknown }
  | { readonly problem: Problem }
  | { readonly error: string; readonly isLate: boolean }
);
type Outcome<R> = R extends unknown ? Omit<R, 'id' | 'processorMs'> : never;

const processorTime = shareProcessorTime(() => millisecondsOf(process.cpuUsage()));
const running = new Map<number, AbortController>();

function tasksUntil(signal: AbortSignal): Tasks {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]);
  return {
    cleanPicture: (upload) => cleanPicture(upload, budgetMs, signal),
    looksAt: (picture, shape) => looksAt(picture, shape, inTime),
    smallCopyOf: (picture) => smallCopyOf(picture, inTime),
    renditionOf: (cleaned, width) => renditionOf(cleaned, width, inTime),
  };
}

async function outcomeOf({ task, args }: Request, signal: AbortSignal): Promise<Outcome<Reply>> {
  const startedAt = performance.now();
  try {
    const work = tasksUntil(signal)[task] as (...given: readonly unknown[]) => Promise<unknown>;
    return { result: await work(...args) };
  } catch (error) {
    if (error instanceof Unopenable) return { problem: error.problem };
    return { error: String(error), isLate: performance.now() - startedAt >= budgetMs };
  }
}

async function answer(request: Request): Promise<void> {
  const { id } = request;
  const controller = new AbortController();
  running.set(id, controller);
  const end = processorTime();
  const outcome = await outcomeOf(request, controller.signal);
  running.delete(id);
  // After sending, nothing refers to the picture, but V8 would release its memory late.
  process.send?.({ ...outcome, id, processorMs: end() } satisfies Reply, undefined, undefined, () => {
    globalThis.gc?.({ type: request.hasManyBytes ? 'major' : 'minor' });
  });
}

// The service decides when this process ends; a terminal sends its signals to both.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
// The service is gone. A normal exit would wait for native code that may never return.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: Request | Abandonment) => {
  if ('abandoned' in message) running.get(message.abandoned)?.abort();
  else void answer(message);
});
process.send?.('ready');
