/** What an expression of Prometheus asks for, read by Prometheus' own grammar. */
import { parser } from '@prometheus-io/lezer-promql';

export type Asked = {
  /** Every metric with the labels that it is selected by. */
  readonly selectors: readonly {
    readonly metric: string;
    readonly labels: readonly { readonly name: string; readonly text: string }[];
  }[];
  /** What it groups by. */
  readonly grouping: readonly string[];
};

/** @throws when it is no expression, with the place */
export function readExpression(text: string): Asked {
  const expr = inGrafana(text);
  const selectors: { metric: string; labels: { name: string; text: string }[] }[] = [];
  const grouping: string[] = [];
  const told = (from: number, to: number) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter: ({ type, node, from, to }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expr.slice(from, from + 40)}`);
      if (type.name === 'VectorSelector') {
        const metric = node.getChild('Identifier');
        if (metric === null) throw new Error(`a selector without a metric: ${told(from, to)}`);
        selectors.push({ metric: told(metric.from, metric.to), labels: [] });
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const name = node.getChild('LabelName');
        if (name !== null)
          selectors.at(-1)?.labels.push({ name: told(name.from, name.to), text: told(from, to) });
      }
      if (type.name === 'GroupingLabels')
        for (const label of node.getChildren('LabelName')) grouping.push(told(label.from, label.to));
    },
  });
  return { selectors, grouping };
}

/**
 * The same expression, in which every selector asks for this label as well.
 * @param matcher such as `namespace="offer-ads"`
 */
export function withMatcher(expr: string, matcher: string): string {
  const insertions: { at: number; text: string }[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, node }) => {
      if (type.name !== 'VectorSelector') return;
      const labels = node.getChild('LabelMatchers');
      const metric = node.getChild('Identifier');
      if (labels !== null) insertions.push({ at: labels.from + 1, text: `${matcher}, ` });
      else if (metric !== null) insertions.push({ at: metric.to, text: `{${matcher}}` });
    },
  });
  return insertions.reduceRight(
    (text, { at, text: inserted }) => text.slice(0, at) + inserted + text.slice(at),
    expr,
  );
}

/** Grafana's variables, as they are when it asks. */
function inGrafana(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replaceAll('$mode', 'TEST');
}
