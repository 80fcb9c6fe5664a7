/** The lines of two texts side by side: which stay, which go, which come. */

export type DiffLine = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

/** A table of this size takes some ten milliseconds. Beyond it, the changed middle is shown as replaced at once. */
const MAX_CELLS = 4_000_000;

export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shortest && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...lines('same', old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...lines('same', old.slice(old.length - end)),
  ];
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** By the longest common subsequence. */
function middle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const width = fresh.length + 1;
  if ((old.length + 1) * width > MAX_CELLS) return [...lines('removed', old), ...lines('added', fresh)];
  /** How many lines the rests of both have in common, from the line `i` of `old` and the line `j` of `fresh` on. */
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const diff: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [gone, come] = [old[i], fresh[j]];
    if (gone !== undefined && gone === come) {
      diff.push({ kind: 'same', text: gone });
      i += 1;
      j += 1;
    } else if (gone !== undefined && (come === undefined || at(i + 1, j) >= at(i, j + 1))) {
      diff.push({ kind: 'removed', text: gone });
      i += 1;
    } else {
      diff.push({ kind: 'added', text: come ?? '' });
      j += 1;
    }
  }
  return diff;
}

/** Unchanged lines far from any change are left out; a null stands for each gap. */
export function withoutDistant(diff: readonly DiffLine[], around = 2): (DiffLine | null)[] {
  const isNear = (index: number) =>
    diff.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'same');
  const shown: (DiffLine | null)[] = [];
  for (const [index, line] of diff.entries())
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  return shown;
}
