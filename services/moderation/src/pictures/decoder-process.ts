/**
 * The process that opens uploaded pictures. Native code that hangs or takes too much memory cannot be stopped in a thread, but a process
 * can be killed (decoder.ts). It has no secrets and no connections except the channel to the service.
 */
import { budgetMs, type CleanPicture, type LookShape, type Problem, Unopenable } from './clean-picture.ts';
import { cleanPicture, looksAt } from './pictures.ts';
import { smallCopyOf } from './small-copy.ts';

const tasks = {
  cleanPicture: (upload: Uint8Array) => cleanPicture(upload, budgetMs),
  looksAt: (picture: CleanPicture, shape?: LookShape) => looksAt(picture, shape),
  smallCopyOf: (picture: CleanPicture) => smallCopyOf(picture),
} as const;

export type Tasks = typeof tasks;
export type Request = {
  readonly id: number;
  readonly task: keyof Tasks;
  readonly args: readonly unknown[];
  /** Its memory is large enough to collect garbage afterwards. */
  readonly hasManyBytes: boolean;
};
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly problem: Problem }
  | { readonly id: number; readonly error: string; readonly isLate: boolean };

async function replyTo({ id, task, args }: Request): Promise<Reply> {
  const startedAt = performance.now();
  try {
    const work = tasks[task] as (...given: readonly unknown[]) => Promise<unknown>;
    return { id, result: await work(...args) };
  } catch (error) {
    if (error instanceof Unopenable) return { id, problem: error.problem };
    return { id, error: String(error), isLate: performance.now() - startedAt >= budgetMs };
  }
}

async function answer(request: Request): Promise<void> {
  const reply = await replyTo(request);
  // After sending, nothing refers to the picture, but V8 would release its memory late.
  process.send?.(reply, undefined, undefined, () => {
    globalThis.gc?.({ type: request.hasManyBytes ? 'major' : 'minor' });
  });
}

// The service decides when this process ends; a terminal sends its signals to both.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
// The service is gone. A normal exit would wait for native code that may never return.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request: Request) => void answer(request));
process.send?.('ready');
