/**
 * The call log's spool on disk, used while Postgres is unavailable: segments of lines, written one after the other and read oldest first.
 * Calls survive a crash of the process at once (they are in the kernel) and a crash of the machine after one second (`fdatasync` at most
 * once a second, and at the end of each segment).
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { type HeldFolder, holdAbandonedFolders, holdNewFolder } from './call-log-folders.ts';
import { readLines, toLine } from './call-log-lines.ts';
import type { Call } from './calls-store.ts';

export type CallSpool = AsyncDisposable & {
  /** Appends as many calls as fit, from the first on, and returns how many. If the disk fails, it throws and has added none. */
  readonly add: (calls: readonly Call[]) => Promise<number>;
  /** The oldest segment; null if there is none. It stays the oldest until it is removed. */
  readonly oldest: () => Promise<SpooledCalls | null>;
  /** Takes over the segments of processes that have died. */
  readonly adopt: () => Promise<void>;
  readonly bytes: () => number;
  /** The approximate time of the oldest call, by the wall clock; undefined if there is none. */
  readonly oldestAtMs: () => number | undefined;
};
export type SpooledCalls = {
  readonly calls: readonly Call[];
  /** The first `count` calls are stored and need not be returned again. */
  readonly skip: (count: number) => void;
  readonly remove: () => Promise<void>;
};

/** 1.4 million calls: six hours at 60 a second. */
const defaultMaxBytes = 256 * 1024 * 1024;
/** About 5,000 calls, which are read into memory at once. */
const defaultSegmentBytes = 1024 * 1024;
const syncEveryMs = 1_000;

type Folder = { readonly held: HeldFolder; readonly segments: Segment[] };
/**
 * `skipped`: how many of its calls are already stored, if this process reads it again. `sinceMs`: the time of its first call; for a segment
 * of another process, the time of its file.
 */
type Segment = { readonly path: string; readonly sinceMs: number; bytes: number; skipped: number };
type Writing = { readonly handle: FileHandle; readonly segment: Segment; syncedAtMs: number };

export function openCallSpool(o: {
  folder: string;
  logger: Logger;
  maxBytes?: number;
  segmentBytes?: number;
}): CallSpool {
  const maxBytes = o.maxBytes ?? defaultMaxBytes;
  const segmentBytes = o.segmentBytes ?? defaultSegmentBytes;
  const adopted: Folder[] = [];
  /** Created on first use, so that a broken disk is tried again each time. */
  let own: Folder | undefined;
  let writing: Writing | undefined;
  let segmentsMade = 0;
  let bytes = 0;
  const inTurn = oneAfterTheOther();

  async function add(calls: readonly Call[]): Promise<number> {
    const chunk = whatFits(calls, maxBytes - bytes);
    if (chunk.count === 0) return 0;
    writing ??= await beginSegment(calls[0]?.at.getTime() ?? Date.now());
    const { handle, segment } = writing;
    try {
      await handle.appendFile(chunk.text);
    } catch (error) {
      // The segment may end in half a line, so nothing may be appended to it.
      await finishSegment().catch(() => {});
      throw error;
    }
    segment.bytes += chunk.bytes;
    bytes += chunk.bytes;
    if (segment.bytes >= segmentBytes) await finishSegment();
    else if (performance.now() - writing.syncedAtMs >= syncEveryMs) {
      await handle.datasync();
      writing.syncedAtMs = performance.now();
    }
    return chunk.count;
  }

  async function beginSegment(sinceMs: number): Promise<Writing> {
    if (own === undefined) {
      mkdirSync(o.folder, { recursive: true, mode: 0o700 });
      own = { held: holdNewFolder(o.folder), segments: [] };
    }
    segmentsMade += 1;
    const path = join(own.held.path, `${String(segmentsMade).padStart(8, '0')}.ndjson`);
    const handle = await open(path, 'ax', 0o600);
    const segment = { path, sinceMs, bytes: 0, skipped: 0 };
    own.segments.push(segment);
    return { handle, segment, syncedAtMs: performance.now() };
  }

  async function finishSegment(): Promise<void> {
    const finished = writing;
    writing = undefined;
    try {
      await finished?.handle.datasync();
    } finally {
      await finished?.handle.close();
    }
  }

  async function oldest(): Promise<SpooledCalls | null> {
    for (const folder of own === undefined ? adopted : [...adopted, own]) {
      let segment = folder.segments[0];
      while (segment !== undefined) {
        const part = await readPart(folder, segment);
        if (part !== null) return part;
        segment = folder.segments[0];
      }
    }
    return null;
  }

  /** An unreadable segment stays on disk for the next process, and the others are read. */
  async function readPart(folder: Folder, segment: Segment): Promise<SpooledCalls | null> {
    if (writing?.segment === segment) await finishSegment();
    try {
      const { calls, unreadable } = readLines(await readFile(segment.path, 'utf8'));
      if (unreadable > 0) o.logger.warn({ unreadable }, 'skipped unreadable lines of the call log spool');
      return {
        calls: calls.slice(segment.skipped),
        skip: (count) => {
          segment.skipped += count;
        },
        remove: () => inTurn(() => remove(folder, segment)),
      };
    } catch (error) {
      o.logger.error({ error }, 'left a segment of the call log spool that cannot be read');
      forget(folder, segment);
      return null;
    }
  }

  async function remove(folder: Folder, segment: Segment): Promise<void> {
    await rm(segment.path, { force: true });
    forget(folder, segment);
    const place = adopted.indexOf(folder);
    if (folder.segments.length > 0 || place < 0) return;
    adopted.splice(place, 1);
    folder.held.release({ remove: folder.held.segments().length === 0 });
  }

  function forget(folder: Folder, segment: Segment): void {
    const place = folder.segments.indexOf(segment);
    if (place >= 0) folder.segments.splice(place, 1);
    bytes -= segment.bytes;
  }

  async function adopt(): Promise<void> {
    mkdirSync(o.folder, { recursive: true, mode: 0o700 });
    for (const held of holdAbandonedFolders(o.folder)) {
      const segments: Segment[] = [];
      for (const name of held.segments()) {
        const path = join(held.path, name);
        const { size, birthtimeMs, mtimeMs } = await stat(path);
        // Some file systems do not store a file's creation time.
        const sinceMs = birthtimeMs > 0 ? birthtimeMs : mtimeMs;
        if (size > 0) segments.push({ path, sinceMs, bytes: size, skipped: 0 });
        else await rm(path);
      }
      bytes += segments.reduce((sum, segment) => sum + segment.bytes, 0);
      if (segments.length > 0) adopted.push({ held, segments });
      else held.release({ remove: true });
    }
  }

  return {
    add: (calls) => inTurn(() => add(calls)),
    oldest: () => inTurn(oldest),
    adopt: () => inTurn(adopt),
    bytes: () => bytes,
    oldestAtMs: () => {
      const segments = [...adopted, ...(own === undefined ? [] : [own])].flatMap((folder) => folder.segments);
      return segments.length === 0 ? undefined : Math.min(...segments.map(({ sinceMs }) => sinceMs));
    },
    [Symbol.asyncDispose]: () =>
      inTurn(async () => {
        await finishSegment();
        for (const { held } of own === undefined ? adopted : [...adopted, own])
          held.release({ remove: held.segments().length === 0 });
      }),
  };
}

function whatFits(calls: readonly Call[], room: number): { text: string; count: number; bytes: number } {
  const lines: string[] = [];
  let bytes = 0;
  for (const call of calls) {
    const line = toLine(call);
    const size = Buffer.byteLength(line);
    if (bytes + size > room) break;
    bytes += size;
    lines.push(line);
  }
  return { text: lines.join(''), count: lines.length, bytes };
}

/** Runs work on the files one after the other. */
function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
