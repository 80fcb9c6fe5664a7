/** Keeps objects between runs: each change appends one line, and the last line of an id is valid. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Far more than a day of development. The oldest objects are removed, so that memory and file are bounded. */
const maxKept = 20_000;

export type Collection<T extends { readonly id: string }> = {
  readonly get: (id: string) => T | undefined;
  readonly put: (object: T) => void;
  /** In the order of creation. */
  readonly all: () => readonly T[];
};

export type Journal = { collection<T extends { readonly id: string }>(name: string): Collection<T> };

type Line = { readonly kind: string; readonly object: { readonly id: string } };

/** Without `file` the objects are only in memory. */
export function openJournal(file?: string): Journal {
  const collections = new Map<string, Map<string, { readonly id: string }>>();
  const of = (kind: string) => {
    const known = collections.get(kind) ?? new Map<string, { readonly id: string }>();
    collections.set(kind, known);
    return known;
  };
  const keep = ({ kind, object }: Line) => {
    const objects = of(kind);
    objects.set(object.id, object);
    const oldest = objects.size > maxKept ? objects.keys().next() : undefined;
    if (oldest && !oldest.done) objects.delete(oldest.value);
  };
  if (file) {
    for (const line of readLines(file)) keep(line);
    compact(
      file,
      [...collections].flatMap(([kind, objects]) =>
        [...objects.values()].map((object) => ({ kind, object })),
      ),
    );
  }
  return {
    collection<T extends { readonly id: string }>(kind: string): Collection<T> {
      const objects = of(kind) as Map<string, T>;
      return {
        get: (id) => objects.get(id),
        put: (object) => {
          keep({ kind, object });
          if (file) appendFileSync(file, `${JSON.stringify({ kind, object })}\n`);
        },
        all: () => [...objects.values()],
      };
    },
  };
}

function readLines(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line) as Line];
    } catch (error) {
      // A process that is killed during a write leaves an incomplete last line.
      if (index === lines.length - 1) return [];
      throw new Error(`${file}, line ${index + 1}: not JSON`, { cause: error });
    }
  });
}

function compact(file: string, lines: readonly Line[]): void {
  writeFileSync(`${file}.new`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  renameSync(`${file}.new`, file);
}
