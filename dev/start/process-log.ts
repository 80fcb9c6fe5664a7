/** A process's output: all of it in a file, warnings and errors also on the console, in a few words. */
import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The log levels that a person should see at once. */
const told: Readonly<Record<string, string>> = { warn: 'warning', error: 'error', fatal: 'error' };
/** A repeated line is hidden for this long, because a service that waits for a store repeats its message. */
const repeatAfterMs = 10_000;

export function openLog(
  file: string,
  print: (line: string) => void,
): { follow: (child: ChildProcess) => void } {
  const stream = createWriteStream(file, { flags: 'a' });
  const toldAt = new Map<string, number>();
  const printOnce = (words: string) => {
    const now = performance.now();
    const before = toldAt.get(words);
    if (before !== undefined && now - before < repeatAfterMs) return;
    if (toldAt.size > 1000) toldAt.clear();
    toldAt.set(words, now);
    print(words);
  };
  return {
    follow(child) {
      for (const output of [child.stdout, child.stderr]) {
        if (!output) continue;
        createInterface({ input: output }).on('line', (line) => {
          stream.write(`${line}\n`);
          const words = worthPrinting(line, output === child.stderr);
          if (words) printOnce(words);
        });
      }
      child.once('close', () => stream.end());
    },
  };
}

/** Lines of a stack trace or of a printed object: the file has them. */
const detail = /^\s|^}|^$|^Node\.js v|^node:/;

/** The message of a pino line from warning upwards; of other lines only those of stderr. */
export function worthPrinting(line: string, fromStderr: boolean): string | undefined {
  const entry = parseEntry(line);
  if (!entry) return fromStderr && !detail.test(line) ? line : undefined;
  const level = told[String(entry.level)];
  if (level === undefined) return undefined;
  const cause = (entry.error ?? entry.err)?.message;
  return `${level}: ${entry.msg ?? ''}${cause && cause !== entry.msg ? ` (${cause})` : ''}`;
}

/** The HTTP log uses the field `err`. */
type Entry = { level?: unknown; msg?: string; error?: { message?: string }; err?: { message?: string } };

function parseEntry(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
