/** A trace as a picture that a person can read, and as ways from its beginning to an end. */
import type { Span } from './collector.ts';

/** A line per span, indented below its parent; calls of stores are counted. */
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
    // They are many, and lead nowhere.
    const calls = below.filter(({ store }) => store !== undefined);
    if (calls.length > 0)
      lines.push(`${' '.repeat(21)}${'  '.repeat(depth)}${calls[0]?.store}: ${calls.length} calls`);
    for (const child of below) if (child.store === undefined) print(child, depth + 1);
  }

  const roots = spans.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
  for (const root of roots.toSorted(byStart)) print(root, 0);
  return [' starts at    takes  service                          kind     what', ...lines].join('\n');
}

/** From the beginning of the trace to this span: `gateway SERVER POST /offers` and so on. */
export function wayTo(spans: readonly Span[], end: Span): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const way: string[] = [];
  for (let span: Span | undefined = end; span !== undefined; span = byId.get(span.parentId ?? ''))
    way.unshift(`${span.service} ${span.kind} ${span.name}`);
  return way;
}

/** What is wrong with the parents: one that is missing, or of a kind that cannot have caused the span. */
export function wrongParents(spans: readonly Span[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const causes: Partial<Record<Span['kind'], Span['kind']>> = { SERVER: 'CLIENT', CONSUMER: 'PRODUCER' };
  return spans.flatMap((span) => {
    if (span.parentId === undefined) return [];
    const parent = byId.get(span.parentId);
    const told = `${span.service} ${span.kind} ${span.name}`;
    if (parent === undefined) return [`${told} has a parent that never came`];
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
