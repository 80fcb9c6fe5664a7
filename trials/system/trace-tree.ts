/** A trace as a readable tree, and as paths from its first span to another. */
import type { Span } from './collector.ts';

/** One line for each span, indented below its parent. Calls of stores are only counted. */
export function treeOf(spans: readonly Span[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const begin = Math.min(...spans.map(({ startMs }) => startMs));
  const lines: string[] = [];

  function print(span: Span, depth: number): void {
    const at = `${Math.round(span.startMs - begin)} ms`.padStart(8);
    const took = `${Math.round(span.endMs - span.startMs)} ms`.padStart(8);
    const who = `${'  '.repeat(depth)}${span.service}`.padEnd(32);
    lines.push(`${at} ${took}  ${who} ${span.kind.padEnd(8)} ${span.name}`);
    const below = childrenOf(spans, span);
    // They are many, and have no children.
    const calls = below.filter(({ store }) => store !== undefined);
    if (calls.length > 0)
      lines.push(`${' '.repeat(21)}${'  '.repeat(depth)}${calls[0]?.store}: ${calls.length} calls`);
    for (const child of below) if (child.store === undefined) print(child, depth + 1);
  }

  const roots = spans.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
  for (const root of roots.toSorted(byStart)) print(root, 0);
  return [' starts at    takes  service                          kind     what', ...lines].join('\n');
}

/** The path from the first span to this one: `gateway SERVER POST /offers` and so on. */
export function wayTo(spans: readonly Span[], end: Span): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const way: string[] = [];
  for (let span: Span | undefined = end; span !== undefined; span = byId.get(span.parentId ?? ''))
    way.unshift(`${span.service} ${span.kind} ${span.name}`);
  return way;
}

/** Wrong parents: a missing one, or one of a kind that cannot cause the span. */
export function wrongParents(spans: readonly Span[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const causes: Partial<Record<Span['kind'], Span['kind']>> = { SERVER: 'CLIENT', CONSUMER: 'PRODUCER' };
  return spans.flatMap((span) => {
    if (span.parentId === undefined) return [];
    const parent = byId.get(span.parentId);
    const told = `${span.service} ${span.kind} ${span.name}`;
    if (parent === undefined) return [`${told} has a parent that is missing`];
    const cause = causes[span.kind];
    if (cause !== undefined && parent.kind !== cause) return [`${told} is below a ${parent.kind}`];
    if (cause === undefined && parent.service !== span.service) return [`${told} is below ${parent.service}`];
    return [];
  });
}

function childrenOf(spans: readonly Span[], { spanId }: Span): Span[] {
  return spans.filter(({ parentId }) => parentId === spanId).toSorted(byStart);
}

function byStart(one: Span, other: Span): number {
  return one.startMs - other.startMs;
}
