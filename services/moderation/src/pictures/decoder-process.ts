/**
 * A process that opens uploaded pictures, one at a time. Native code that hangs or takes too much memory cannot be stopped in a thread, but
 * a process can be killed (decoder.ts). It has no secrets and no connections except the channel to the service.
 */
import { type Problem, roomNeededFrom, Unopenable } from '../domain/picture-limits.ts';
import {
  type Cleaned,
  type CleanPicture,
  cleanPicture,
  looksAt,
  renditionOf,
  smallCopyOf,
} from './pictures.ts';

export type Tasks = {
  /** The process keeps the cleaned picture for the next two tasks, until it cleans another. */
  readonly clean: (upload: Uint8Array) => Promise<Cleaned>;
  readonly looks: () => Promise<readonly Uint8Array[]>;
  readonly smallCopy: () => Promise<Buffer>;
  /** A cleaned picture in this width, which is less than its own. */
  readonly rendition: (cleaned: Uint8Array, width: number) => Promise<Buffer>;
};
export type Request = {
  readonly id: number;
  readonly task: keyof Tasks;
  readonly args: readonly unknown[];
};
/** The answer to `needsRoom`. False: nobody waits for the picture any more. */
export type RoomReply = { readonly hasRoom: boolean };
export type Reply =
  | { readonly needsRoom: true }
  | ({ readonly id: number; readonly processorMs: number } & Outcome);
type Outcome = { readonly result: unknown } | { readonly problem: Problem } | { readonly error: string };

/** For larger files garbage is collected after each: V8 lets buffers outside its heap grow by a hundred megabytes. It takes some 30 ms. */
const manyBytes = 2 ** 20;

let kept: CleanPicture | undefined;
let answerAboutRoom: ((hasRoom: boolean) => void) | undefined;

const tasks: Tasks = {
  clean: async (upload) => {
    kept = undefined;
    const cleaned = await cleanPicture(upload, takeRoom);
    kept = cleaned.picture;
    return cleaned;
  },
  looks: () => looksAt(keptPicture(), takeRoom),
  smallCopy: () => smallCopyOf(keptPicture(), takeRoom),
  rendition: (cleaned, width) => renditionOf(cleaned, width, takeRoom),
};

function keptPicture(): CleanPicture {
  if (kept === undefined) throw new Error('the process that had cleaned the picture has ended');
  return kept;
}

async function takeRoom(bytes: number): Promise<void> {
  if (bytes <= roomNeededFrom) return;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  answerAboutRoom = resolve;
  process.send?.({ needsRoom: true } satisfies Reply);
  if (!(await promise)) throw new Error('nobody waits for the picture any more');
}

async function outcomeOf({ task, args }: Request): Promise<Outcome> {
  try {
    const work = tasks[task] as (...given: readonly unknown[]) => Promise<unknown>;
    return { result: await work(...args) };
  } catch (error) {
    return error instanceof Unopenable ? { problem: error.problem } : { error: String(error) };
  }
}

async function answer(request: Request): Promise<void> {
  const before = process.cpuUsage();
  const outcome = await outcomeOf(request);
  const { user, system } = process.cpuUsage(before);
  const reply: Reply = { id: request.id, processorMs: (user + system) / 1_000, ...outcome };
  const [file] = request.args;
  const type = file instanceof Uint8Array && file.length > manyBytes ? 'major' : 'minor';
  // After sending, nothing refers to the picture, but V8 would release its memory late.
  process.send?.(reply, undefined, undefined, () => globalThis.gc?.({ type }));
}

// The service decides when this process ends; a terminal sends its signals to both.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
// The service is gone. A normal exit would wait for native code that may never return.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: Request | RoomReply) => {
  if ('hasRoom' in message) answerAboutRoom?.(message.hasRoom);
  else void answer(message);
});
process.send?.('ready');
