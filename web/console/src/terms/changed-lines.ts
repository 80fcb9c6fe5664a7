/** The changed lines of a text with the lines around them. */
import { structuredPatch } from 'diff';

/** A null stands for lines that are left out. The first character: `+` comes, `-` goes, a blank stays. */
type Shown = string | null;

const AROUND = 2;
/** To find the least of more changes would take a second: then all lines go, and all come. */
const MAX_CHANGES = 1_000;

export function changedLines(before: string, after: string): readonly Shown[] {
  const [old, fresh] = [before, after].map((text) => text.split('\n')) as [string[], string[]];
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', {
    context: AROUND,
    maxEditLength: MAX_CHANGES,
  });
  if (patch === undefined) return [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
  const shown: Shown[] = [];
  let next = 1;
  for (const { oldStart, oldLines, lines } of patch.hunks) {
    if (oldStart > next) shown.push(null);
    shown.push(...lines);
    next = oldStart + oldLines;
  }
  return next <= old.length ? [...shown, null] : shown;
}
