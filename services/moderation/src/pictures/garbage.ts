/** Keeps the service's memory small while many large files pass through it. */
import { setFlagsFromString } from 'node:v8';
import { collectGarbage } from '@offer-ads/platform/process/garbage';

// Ordinary pictures leave 2 MB of buffers each. By default V8 collected everything after six of them; with this, it waits until the heap
// with its buffers has doubled, which takes 20 MB.
setFlagsFromString('--heap-growing-percent=100');

/** Of ordinary pictures V8 collects what is left in time. */
const largeFromBytes = 2 ** 20;
/**
 * V8 lets buffers outside its heap grow by a hundred megabytes before it collects them, and more on a busy machine. So after this much of
 * large files the service collects them itself, which takes some 30 ms.
 */
const collectAfterBytes = 8 * 2 ** 20;
let leftBytes = 0;

/** Call it when copies of a value are no longer used: of an upload that was read, of a message between the processes. */
export function leaveGarbage(value: unknown, copies = 1): void {
  const bytes = bytesIn(value);
  if (bytes < largeFromBytes) return;
  leftBytes += copies * bytes;
  if (leftBytes < collectAfterBytes) return;
  leftBytes = 0;
  setImmediate(collectGarbage, { type: 'major' });
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + bytesIn(part), 0);
}
