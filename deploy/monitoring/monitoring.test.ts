/** Alerts and dashboards use only metrics that exist; `deploy/monitoring/test/promtool.test.ts` tests the alerts themselves. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Alert, alerts, clusterAlerts, recordings } from './alerts.ts';
import { environments } from './documents.ts';
import { type Metric, metricsOfTable, processMetrics } from './metrics-table.ts';
import { readExpression } from './promql.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${repository}/${path}`, 'utf8');

/** Series of Prometheus itself, and of our recording rules. */
const ofPrometheus: readonly (readonly [name: string, labels: readonly string[]])[] = [
  ['up', []],
  ['ALERTS', ['alertname', 'alertstate', 'severity']],
  ...recordings.map(({ record }) => [record, []] as const),
];
/** Every scraped series has these labels. */
const ofEverySeries = ['service', 'job', 'instance'];
/** And in a cluster. */
const inCluster = [...ofEverySeries, 'namespace'];

const known = new Map<string, readonly string[]>([
  ...ofPrometheus,
  ...[...metricsOfTable(), ...processMetrics].flatMap(seriesOf),
]);

function seriesOf({ name, type, labels }: Metric): [string, readonly string[]][] {
  if (type !== 'histogram') return [[name, labels]];
  return [
    [`${name}_count`, labels],
    [`${name}_sum`, labels],
    [`${name}_bucket`, [...labels, 'le']],
  ];
}

/** The metrics and labels that do not exist. */
function unknownIn(expr: string, ofEach = ofEverySeries): string[] {
  const { selectors, grouping } = readExpression(expr);
  const metrics = selectors.filter(({ metric }) => !known.has(metric)).map(({ metric }) => metric);
  const selected = selectors.flatMap(({ metric, labels }) =>
    labels
      .filter(({ name }) => ![...ofEach, ...(known.get(metric) ?? [])].includes(name))
      .map(({ name }) => `${metric}{${name}}`),
  );
  const told = new Set([...ofEach, ...selectors.flatMap(({ metric }) => known.get(metric) ?? [])]);
  return [
    ...metrics,
    ...selected,
    ...grouping.filter((label) => !told.has(label)).map((label) => `by (${label})`),
  ];
}

describe('the check of expressions', () => {
  it('finds invalid expressions, and metrics and labels that do not exist', () => {
    expect(() => readExpression('sum by (service (up)')).toThrow('not PromQL');
    expect(unknownIn('sum by (colour) (rate(outbox_published_total{shade="x"}[5m])) > up{job="a"}')).toEqual([
      'outbox_published_total{shade}',
      'by (colour)',
    ]);
    expect(unknownIn('rate(nobody_tells_total[5m])')).toEqual(['nobody_tells_total']);
  });
});

describe.each(
  [...alerts, ...recordings].map((rule) => ['alert' in rule ? rule.alert : rule.record, rule] as const),
)('the rule %s', (_, { expr }) => {
  it('uses metrics that exist', () => expect(unknownIn(expr)).toEqual([]));
});

describe.each(alerts.map((each) => [`${each.alert} (${each.labels.severity})`, each] as const))(
  '%s',
  (_, { expr, annotations }) => {
    it('uses only labels in its texts that its expression keeps', () => {
      const words = `${annotations.summary} ${annotations.description}`;
      const named = [...words.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name);
      const { grouping, selectors } = readExpression(expr);
      // Without grouping all labels are kept; recorded series keep `service`.
      const left =
        grouping.length > 0
          ? grouping
          : [...ofEverySeries, ...selectors.flatMap(({ metric }) => known.get(metric) ?? [])];
      for (const name of named) expect([...left, 'service', 'job']).toContain(name);
    });
  },
);

describe.each([
  ['alerts', alerts],
  ['cluster-alerts', clusterAlerts],
] as const)('the alerts of deploy/monitoring/%s.yaml', (file, of) => {
  it('are all tested', () => {
    const { tests } = parse(read(`deploy/monitoring/${file}.test.yaml`)) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
    };
    const tried = tests.flatMap(({ alert_rule_test: of }) => of);
    const firing = new Set(
      tried.filter(({ exp_alerts: of }) => of.length > 0).map(({ alertname }) => alertname),
    );
    expect([...firing].toSorted()).toEqual([...new Set(of.map(({ alert }) => alert))].toSorted());
  });
});

describe.each(environments())('in $folder', ({ folder, namespace }) => {
  const rules = ['services', 'cluster'].flatMap((about) => {
    const { spec } = parse(read(`${folder}/alerts/${about}.yaml`)) as {
      spec: { groups: { rules: (Partial<Alert> & { expr: string; labels: { namespace?: string } })[] }[] };
    };
    return spec.groups.flatMap((group) => group.rules);
  });

  it('every rule selects only this environment, and has its label', () => {
    expect(rules.length).toBeGreaterThan(alerts.length);
    const mixed = rules.filter(({ expr, labels }) => {
      const { selectors } = readExpression(expr);
      const isOwn = selectors.every((selector) =>
        selector.labels.some(({ text }) => text === `namespace="${namespace}"`),
      );
      return !isOwn || selectors.length === 0 || labels.namespace !== namespace;
    });
    expect(mixed.map(({ expr }) => expr)).toEqual([]);
  });
});

it('each environment has another namespace', () => {
  const namespaces = environments().map(({ namespace }) => namespace);
  expect(namespaces.length).toBeGreaterThan(1);
  expect(new Set(namespaces).size).toBe(namespaces.length);
});

type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly description?: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};
const dashboards = globSync('deploy/monitoring/dashboards/*.json', { cwd: repository }).map(
  (file) => [file, JSON.parse(read(file)) as Dashboard] as const,
);

describe.each(dashboards)('%s', (file, { uid, panels }) => {
  const questions = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$namespace', 'offer-ads')] as const),
  );

  it.each(questions)('uses metrics that exist, of one environment at a time: %s', (_, expr) => {
    expect(unknownIn(expr, inCluster)).toEqual([]);
    for (const { labels } of readExpression(expr).selectors)
      expect(labels.map(({ name }) => name)).toContain('namespace');
  });

  it('describes each panel, and uses no title and no id twice', () => {
    for (const { type, description } of panels)
      if (type !== 'row') expect(description).toMatch(/^[A-Z0-9`].{10,}[.]$/s);
    for (const key of ['title', 'id'] as const)
      expect(new Set(panels.map((panel) => panel[key])).size).toBe(panels.length);
  });

  it('has its own address, which stays when the title changes', () => {
    expect(file).toBe(`deploy/monitoring/dashboards/${uid}.json`);
  });
});

it('Kubernetes gets every dashboard', () => {
  const { configMapGenerator } = parse(read('deploy/monitoring/dashboards/kustomization.yaml')) as {
    configMapGenerator: { files: string[] }[];
  };
  const given = configMapGenerator.flatMap(({ files }) => files);
  expect(given.toSorted()).toEqual(dashboards.map(([, { uid }]) => `${uid}.json`).toSorted());
});
