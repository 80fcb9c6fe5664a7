/** A trace as paths from its first span to another, and what is wrong with it. */
import type { Span } from './collector.ts';

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
